"""The static half of ``whygrad.rules.optimizer_recreated``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.flow import chain
from whygrad.lint.held import Held
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.training import Event, Loop


def check(module: Module) -> Iterator[Hit]:
    """An optimizer with a memory that is built at every round of the innermost loop around ``backward``."""
    told: set[ast.AST] = set()
    for loop in module.loops():
        for step in loop.of("step", "scaler_step"):
            made = _built(step)
            if made is None or not step.always or made in told or not _remembers(module, made):
                continue
            if step.via is None and module.tree.parent(module.tree.statement(made)) is not loop.node:
                continue
            reset = any(
                isinstance(n, ast.Attribute) and n.attr == "load_state_dict" for n in ast.walk(loop.node)
            )
            held = [one for one in module.held if one.optimizer is made and not reset]
            if held and all(_from_outside(module, one, loop, step) for one in held):
                told.add(made)
                yield Hit(
                    made,
                    "a new optimizer is built for every step: its momentum and averages start from nothing each time",
                    "Build it once, before the loop.",
                    severity="warning",
                    link=10,
                    role="optimizer",
                    also=((step.node, "step"),) if step.module is module else (),
                )


def _built(step: Event) -> ast.Call | None:
    """The call that makes the optimizer, in the function in which it steps."""
    if step.subject is None:
        return None
    origin = step.module.origins(step.subject).only
    if (
        origin is None
        or origin.part
        or not isinstance(origin.node, ast.Call)
        or origin.module is not step.module
    ):
        return None
    tree = step.module.tree
    return origin.node if tree.function(origin.node) is tree.function(step.node) else None


def _remembers(module: Module, made: ast.Call) -> bool:
    """Whether an optimizer of torch keeps something from step to step; LBFGS does its own loop within one."""
    instance = module.instance(made)
    if (
        instance is None
        or instance.category != "optimizer"
        or instance.info is not None
        or instance.call is not made
    ):
        return False
    if instance.name == "torch.optim.SGD":
        momentum = next(
            (k.value for k in made.keywords if k.arg == "momentum"),
            made.args[2] if len(made.args) > 2 else None,
        )
        return momentum is not None and isinstance(momentum, ast.Constant) and bool(momentum.value)
    return instance.name != "torch.optim.LBFGS"


def _from_outside(module: Module, one: Held, loop: Loop, step: Event) -> bool:
    """Whether the model lives longer than the round."""
    if not isinstance(one.owner, ast.Name):
        return bool(one.name) and one.name.startswith("self.") and not _assigned_in(loop.node, one.name)
    definitions = module.definitions(one.owner)
    if not definitions:
        return False
    around: ast.AST = loop.node
    if step.via is not None:
        function = module.tree.function(step.node)
        if not all(d.how == "parameter" for d in definitions) or function is None:
            return False
        owner = one.owner
        argument = next((d.node for d in definitions if isinstance(d.node, ast.arg)), None)
        given = module.given(function, argument) if argument is not None else None
        names = [name for name in given or () if isinstance(name, ast.Name)]
        return (
            bool(names)
            and owner is not None
            and all(not _assigned_in(loop.node, name.id) and name.id not in _targets(loop) for name in names)
        )
    inside = set(ast.walk(around))
    return all(d.node not in inside for d in definitions) and one.owner.id not in _targets(loop)


def _assigned_in(loop: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Store) and chain(n) == name
        for n in ast.walk(loop)
    )


def _targets(loop: Loop) -> set[str]:
    """The names that the loops around set at every round."""
    found: set[str] = set()
    current: Loop | None = loop
    while current is not None:
        if isinstance(current.node, ast.For | ast.AsyncFor):
            found |= {n.id for n in ast.walk(current.node.target) if isinstance(n, ast.Name)}
        current = current.outer
    return found
