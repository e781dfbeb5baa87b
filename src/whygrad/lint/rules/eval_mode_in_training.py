"""The static half of ``whygrad.rules.eval_mode_in_training``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint import training
from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.modes import heeds_mode
from whygrad.lint.module import Module
from whygrad.lint.steps import elsewhere, handed_on
from whygrad.lint.training import Event, Loop, LoopNode
from whygrad.lint.writing import line_before

#: What says that a model was trained before: its statistics may be meant to stay as they are.
_LOADED = frozenset(
    {"load_state_dict", "from_pretrained", "load", "load_from_checkpoint", "pretrained", "weights"}
)


def check(module: Module) -> Iterator[Hit]:
    """``eval()`` before or within the epochs of a training, and no ``train()`` that is called again after it."""
    told: set[ast.AST] = set()
    back = _switched_back(module)
    for loop in module.loops():
        if not loop.of("step", "scaler_step"):
            continue
        for event, outer, models in _switches(module, loop):
            instance = event.module.instance(event.subject) if event.subject is not None else None
            if event.node in told or event.module is not module or instance is None or instance.call is None:
                continue
            if instance.call not in models or not heeds_mode(instance):
                continue
            if back is None or any(_runs_again(module, call, outer) for call in back):
                continue
            told.add(event.node)
            yield _hit(module, event, outer)


def _hit(module: Module, event: Event, outer: LoopNode) -> Hit:
    name = event.name or "the model"
    return Hit(
        event.node,
        f"{name} is switched to evaluation here and never back: from then on it trains without dropout, or with the "
        "statistics of batch normalisation fixed",
        "Call train() on the model at the start of each epoch.",
        severity="warning",
        link=10,
        role="eval",
        also=((outer, "training"),),
        edits=_at_start(module, event, outer),
    )


def _switches(module: Module, loop: Loop) -> Iterator[tuple[Event, LoopNode, set[ast.Call]]]:
    """Every ``eval`` that the training in a loop goes on after, with the outermost loop, and the models that it trains."""
    top = loop
    while top.outer is not None:
        top = top.outer
    models = {
        one.instance.call for one in module.held if one.instance is not None and one.instance.call is not None
    }
    if not models:
        return
    nodes = [top.node]
    function = module.tree.function(top.node)
    if (
        isinstance(function, ast.FunctionDef) and top is loop
    ):  # the epochs may be around the calls of its function
        nodes += [n for call in module.call_sites(function) or () for n in _loops_around(module, call)]
    if any(elsewhere(module, node, "train(") for node in nodes) or handed_on(module, top):
        return
    for node in nodes:
        events = training.function_events(module, _body(node))
        if any(event.kind == "train" and event.module is not module for event in events):
            return
        for event in events:
            if event.kind == "eval":
                yield event, node, models
    if not _loaded(module):
        yield from ((e, top.node, models) for e in _before(module, top.node))


def _body(node: LoopNode) -> ast.Module:
    return ast.Module(body=node.body, type_ignores=[])


def _loops_around(module: Module, call: ast.Call) -> list[LoopNode]:
    found: list[LoopNode] = []
    for above in module.tree.above(call):
        if isinstance(above, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            break
        if isinstance(above, ast.For | ast.While):
            found.append(above)
    return found[-1:]


def _before(module: Module, node: LoopNode) -> Iterator[Event]:
    """The ``eval`` statements in front of the loop, in its own block."""
    around = module.tree.parent(node)
    for name in ("body", "orelse"):
        block = getattr(around, name, [])
        if node in block:
            earlier = ast.Module(body=block[: block.index(node)], type_ignores=[])
            yield from (
                e
                for e in training.function_events(module, earlier)
                if e.kind == "eval" and e.always and e.via is None
            )


def _switched_back(module: Module) -> list[ast.Call] | None:
    """All calls that may switch to training; None if that may happen in a way that is not seen."""
    for use in module.nodes(ast.Attribute):
        if use.attr == "training" and not isinstance(use.ctx, ast.Load):
            return None
        if (
            use.attr == "train"
            and not isinstance(module.tree.parent(use), ast.Call)
            and module.category(use.value) == "module"
        ):
            return None
    calls = []
    for call, receiver in module.method_calls("train"):
        off = call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value is False
        if not off and not module.dotted(receiver).startswith("torch."):
            calls.append(call)
    return calls


def _runs_again(module: Module, call: ast.Call, outer: LoopNode) -> bool:
    """Whether a call of ``train()`` is not surely outside of what the loop repeats: in its own scope, and not in it."""
    if any(above is outer for above in module.tree.above(call)):
        return True
    function = module.tree.function(call)
    if getattr(function, "name", "") == "__init__":
        return False
    return function is not module.tree.function(outer)


def _loaded(module: Module) -> bool:
    names = {use.attr for use in module.nodes(ast.Attribute)}
    names |= {k.arg for call in module.nodes(ast.Call) for k in call.keywords if k.arg}
    return bool(names & _LOADED)


def _at_start(module: Module, event: Event, outer: LoopNode) -> Fix | None:
    """``model.train()`` as the first line of the loop, where the model has the same name there."""
    same = event.name and module.tree.function(outer) is module.tree.function(event.node)
    added = line_before(module, outer.body[0], f"{event.name}.train()") if same else None
    return Fix((added,), safe=False) if added is not None else None
