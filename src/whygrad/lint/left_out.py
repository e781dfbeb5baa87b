"""Parameters that no optimizer of a file holds, where it is sure that they were made to be trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.classes import ClassInfo
from whygrad.lint.flow import chain
from whygrad.lint.held import NOT_TRAINED, Held, optimizers
from whygrad.lint.kinds import Instance
from whygrad.lint.module import Module
from whygrad.lint.parametric import has_parameters

#: What a file says whose parameters may be left alone on purpose, or be updated by other means.
_ON_PURPOSE = frozenset(
    {"requires_grad", "requires_grad_", "load_state_dict", "load", "from_pretrained", "deepcopy", "freeze", "add_param_group",
     "param_groups", "data", "lerp_", "pretrained", "weights", "grad", "functional_call"}
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LeftOut:
    """``held``: what the optimizer was given; ``what``: what it was not."""

    held: Held
    what: str


def left_out(module: Module) -> Iterator[LeftOut]:
    """Parts of a model beside the one that the optimizers hold, and models beside one that two optimizers hold."""
    if module.held and _all_understood(module) and not _on_purpose(module):
        yield from _parts(module)
        yield from _held_twice(module)


def _all_understood(module: Module) -> bool:
    """Whether all optimizers get ``something.parameters()``, and nothing else."""
    seen = {one.optimizer for one in module.held}
    for optimizer in optimizers(module):
        first = optimizer.args[0] if optimizer.args else None
        plain = isinstance(first, ast.Call) and getattr(first.func, "attr", "") == "parameters"
        if optimizer not in seen or not plain:
            return False
    return True


def _on_purpose(module: Module) -> bool:
    names = {
        use.attr
        for use in module.nodes(ast.Attribute)
        if not module.dotted(use).startswith("torch.utils.data")
    }
    names |= {k.arg for call in module.nodes(ast.Call) for k in call.keywords if k.arg}
    names |= {n.name for n in module.nodes(ast.FunctionDef)}
    return any(name in _ON_PURPOSE or "freeze" in name or NOT_TRAINED.search(name.lower()) for name in names)


def _parts(module: Module) -> Iterator[LeftOut]:
    """``Adam(model.encoder.parameters())`` where ``model(...)`` also runs its decoder."""
    names = {one.name for one in module.held}
    for one in module.held:
        owner = one.owner.value if isinstance(one.owner, ast.Attribute) else None
        model = module.instance(owner) if isinstance(owner, ast.Name) else None
        if owner is None or model is None or model.info is None or model.home is None or model.call is None:
            continue
        if chain(owner) in names or not _runs(module, model):
            continue
        covered = {name.rpartition(".")[2] for name in names if name.rpartition(".")[0] == chain(owner)}
        others = [name for name in _layers(model.home, model.info) if name not in covered]
        if others:
            yield LeftOut(one, f"{chain(owner)}.{others[0]}")


def _runs(module: Module, model: Instance) -> bool:
    """Whether the whole model is called for a loss."""
    calls = [node for node in module.in_losses if isinstance(node, ast.Call)]
    forward = model.info.methods.get("forward") if model.info is not None else None
    if forward is not None and any(node in module.in_losses for node in ast.walk(forward)):
        return True
    return any(
        instance is not None and instance.call is model.call
        for call in calls
        for instance in (module.instance(call.func),)
    )


def _layers(home: Module, info: ClassInfo) -> Iterator[str]:
    """The layers with parameters that ``forward`` runs with gradients on."""
    forward = info.methods.get("forward")
    if forward is None:
        return
    run = {
        node.func.attr
        for node in home.body_nodes(forward)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and chain(node.func) == f"self.{node.func.attr}"
        and home.grad_disabled(node) is None
    }
    for name, attributes in info.attributes.items():
        if (
            name in run
            and len(attributes) == 1
            and has_parameters(home.instance(attributes[0].value or info.node))
        ):
            yield name


def _held_twice(module: Module) -> Iterator[LeftOut]:
    """Two optimizers for one model, under two names, and none for another that a loss goes through."""
    for first, second in ((a, b) for a in module.held for b in module.held):
        if first is second or first.optimizer.lineno >= second.optimizer.lineno or first.name != second.name:
            continue
        lines = [module.tree.statement(one.optimizer) for one in (first, second)]
        if not all(isinstance(line, ast.Assign) for line in lines) or lines[0] is lines[1]:
            continue
        if module.tree.parent(lines[0]) is not module.tree.parent(lines[1]) or not first.name:
            continue
        targets = {chain(t) for line in lines if isinstance(line, ast.Assign) for t in line.targets}
        held = {one.instance.call for one in module.held if one.instance is not None}
        if len(targets) == 2 and first.instance is not None:
            for name, instance in _models(module):
                if instance.call not in held and _runs(module, instance):
                    yield LeftOut(second, name)
                    return


def _models(module: Module) -> Iterator[tuple[str, Instance]]:
    for statement in module.nodes(ast.Assign):
        for target in statement.targets:
            instance = module.instance(statement.value) if isinstance(target, ast.Name) else None
            if instance is not None and instance.call is statement.value and has_parameters(instance):
                yield chain(target), instance
