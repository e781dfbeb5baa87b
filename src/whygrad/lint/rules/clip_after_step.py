"""The static half of ``whygrad.rules.clip_after_step``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import Round, here, moved, rounds, statement
from whygrad.lint.training import Event

_HUGE = 1e4  #: a limit that is there to measure the norm only


def check(module: Module) -> Iterator[Hit]:
    """Gradients that are clipped when there are none: after the step has used them, or before ``backward``."""
    told: set[ast.AST] = set()
    for one in rounds(module):
        for clip, step, backward, late in _useless(one):
            if clip.node in told or not _meant(module, clip):
                continue
            told.add(clip.node)
            name = step.name or "the optimizer"
            yield Hit(
                clip.node,
                f"gradients are clipped after {name}.step() has used them, so that the clipping has no effect"
                if late
                else "gradients are clipped before backward() has computed them, so that the clipping has no effect",
                f"Clip between backward() and {name}.step().",
                link=10,
                role="clip",
                also=((step.node, "step"), (backward.node, "backward")),
                edits=moved(module, clip, before=step),
            )


def _useless(one: Round) -> Iterator[tuple[Event, Event, Event, bool]]:
    """Clips that nothing has been computed for since the last step, and whose gradients are cleared before the next."""
    events = one.of("backward", "clip", "step", "scaler_step", "zero_grad")
    kinds = [event.kind for event in events]
    if (
        kinds.count("clip") != 1
        or kinds.count("step") != 1
        or "scaler_step" in kinds
        or kinds.count("zero_grad") != 1
    ):
        return
    if not all(event.always and here(event) for event in events):
        return
    at = kinds.index("clip")
    turned = kinds[at + 1 :] + kinds[:at]  # what comes after it, round and round
    late = turned in (["zero_grad", "backward", "step"], ["backward", "step", "zero_grad"])
    if not late:
        return
    step, backward = events[kinds.index("step")], events[kinds.index("backward")]
    yield events[at], step, backward, kinds.index("step") < at


def _meant(module: Module, clip: Event) -> bool:
    """Whether it is there to clip, not to measure: nobody looks at the result, and the limit is one."""
    if statement(module, clip) is None or not isinstance(clip.node, ast.Call):
        return False
    call = clip.node
    limits = call.args[1:2] + [k.value for k in call.keywords if k.arg in ("max_norm", "clip_value")]
    for limit in limits:
        if isinstance(limit, ast.Constant) and isinstance(limit.value, int | float):
            return limit.value < _HUGE
        if isinstance(limit, ast.Call) or "inf" in module.source.segment(limit):
            return False
    return bool(limits)
