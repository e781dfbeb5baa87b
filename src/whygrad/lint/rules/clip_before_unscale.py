"""The static half of ``whygrad.rules.clip_before_unscale``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import here, moved, rounds, statement
from whygrad.lint.training import Event
from whygrad.lint.writing import line_before


def check(module: Module) -> Iterator[Hit]:
    """Gradients that are clipped while they still carry the factor of the GradScaler."""
    told: set[ast.AST] = set()
    for one in rounds(module):
        events = one.of("backward", "unscale", "clip", "scaler_step")
        kinds = [event.kind for event in events]
        if kinds not in (["backward", "clip", "scaler_step"], ["backward", "clip", "unscale", "scaler_step"]):
            continue
        backward, clip, last = events[0], events[1], events[-1]
        if not all(here(event) for event in events) or not scaled(backward) or clip.node in told:
            continue
        if _by_hand(module, backward, clip) or _off(module, last):
            continue
        told.add(clip.node)
        yield Hit(
            clip.node,
            "gradients are clipped while they are still multiplied by the scale of the GradScaler, so that nearly all are cut",
            f"Call {_unscale(module, last)} before clipping.",
            link=10,
            role="clip",
            also=((last.node, "step"), (backward.node, "backward")),
            edits=_mended(module, clip, events[2] if len(events) == 4 else None, last),
        )


def scaled(backward: Event) -> bool:
    """Whether the loss of a ``backward`` goes through ``scaler.scale(...)`` right there."""
    call = backward.node
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Call)
        and isinstance(call.func.value.func, ast.Attribute)
        and call.func.value.func.attr == "scale"
    )


def _by_hand(module: Module, backward: Event, clip: Event) -> bool:
    """Whether the scale is taken care of in another way: the limit is multiplied by it, or the gradients are divided."""
    if "scale" in module.source.segment(clip.node):
        return True
    lines = range(getattr(backward.node, "lineno", 0), getattr(clip.node, "lineno", 0))
    return any(
        use.attr in ("grad", "get_scale") and use.lineno in lines for use in module.nodes(ast.Attribute)
    )


def _off(module: Module, step: Event) -> bool:
    """Whether the GradScaler is switched off for good, or scales by 1."""
    call = step.node
    receiver = (
        call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    )
    instance = module.instance(receiver) if receiver is not None else None
    keywords = instance.call.keywords if instance is not None and instance.call is not None else []
    values = {k.arg: k.value.value for k in keywords if isinstance(k.value, ast.Constant)}
    return values.get("enabled") is False or values.get("init_scale") == 1


def _unscale(module: Module, step: Event) -> str:
    """``scaler.unscale_(optimizer)`` for ``scaler.step(optimizer)``."""
    call = step.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return "scaler.unscale_(optimizer)"
    return f"{module.source.segment(call.func.value)}.unscale_({module.source.segment(call.args[0])})"


def _mended(module: Module, clip: Event, unscale: Event | None, step: Event) -> Fix | None:
    if unscale is not None:
        return moved(module, unscale, before=clip)
    line = module.tree.statement(clip.node)
    added = line_before(module, line, _unscale(module, step))
    same = module.tree.parent(line) is module.tree.parent(module.tree.statement(step.node))
    return Fix((added,)) if added is not None and same and statement(module, step) is not None else None
