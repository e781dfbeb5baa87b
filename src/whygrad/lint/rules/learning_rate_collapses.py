"""The static half of ``whygrad.rules.learning_rate_collapses``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.lint.edits import Fix, delete, insert, replace
from whygrad.lint.epochs import epochs
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import statement, whole_line
from whygrad.lint.training import Event, Loop
from whygrad.lint.writing import indentation

_HOME = "torch.optim.lr_scheduler."
_PER_BATCH = re.compile(r"step(?!_?size)|iter|batch|len\(|\*|//\s*\w*batch|update", re.IGNORECASE)
_EPOCH = re.compile(r"epoch", re.IGNORECASE)
_SHORT = 40  #: batches between two drops that no training of several epochs can mean
_STRONG = 0.95  #: a decay that leaves a thousandth after 135 batches


def check(module: Module) -> Iterator[Hit]:
    """A schedule in epochs that is stepped at every batch."""
    told: set[ast.AST] = set()
    for loop in module.loops():
        around = epochs(module, loop)
        for event in loop.of("scheduler"):
            if not around or not event.always or event.module is not module or event.node in told:
                continue
            made = event.module.instance(event.subject) if event.subject is not None else None
            if (
                made is None
                or made.call is None
                or made.module is None
                or not isinstance(event.node, ast.Call)
            ):
                continue
            why = _in_epochs(made.module, made.call, made.name, around, module)
            if why and not event.node.args and not event.node.keywords:
                told.add(event.node)
                yield Hit(
                    event.node,
                    f"{event.name}.step() is called at every batch, and {made.name.removeprefix(_HOME)} {why}: "
                    "the learning rate is gone before the training is",
                    f"Call {event.name}.step() once an epoch, after the loop over the batches.",
                    severity="warning",
                    link=10,
                    role="scheduler",
                    also=((made.call, "created"),) if made.module is module else (),
                    edits=_outside(module, loop, event),
                )


def _in_epochs(home: Module, call: ast.Call, name: str, around: list[ast.For], module: Module) -> str:
    """Why the schedule surely counts epochs; empty if it may count batches."""
    last = name.removeprefix(_HOME)
    if last == "ExponentialLR":
        gamma = _number(_argument(call, 1, "gamma"))
        return f"multiplies the rate by {gamma} each time" if gamma is not None and gamma <= _STRONG else ""
    if last not in ("StepLR", "MultiStepLR", "CosineAnnealingLR"):
        return ""
    which = {"StepLR": "step_size", "MultiStepLR": "milestones", "CosineAnnealingLR": "T_max"}[last]
    span = _argument(call, 1, which)
    if span is None:
        return ""
    text = home.source.segment(span)
    if _PER_BATCH.search(text):
        return ""
    if _EPOCH.search(text) or (last == "CosineAnnealingLR" and _counts(module, around, text)):
        return f"counts epochs ({which}={text})"
    gamma = _number(_argument(call, 2, "gamma")) if _argument(call, 2, "gamma") is not None else 0.1
    size = _number(span) if last == "StepLR" else None
    strong = gamma is not None and gamma <= 0.5
    return f"cuts the rate after {size} of them" if strong and size is not None and size <= _SHORT else ""


def _counts(module: Module, around: list[ast.For], text: str) -> bool:
    """Whether the very same name or number says how often the loops over epochs run."""
    ranges = [node.iter for node in around if isinstance(node.iter, ast.Call)]
    return bool(ranges) and all(
        getattr(one.func, "id", "") == "range" and one.args and module.source.segment(one.args[-1]) == text
        for one in ranges
    )


def _argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == name), None)
    return named if named is not None else (call.args[index] if index < len(call.args) else None)


def _number(node: ast.expr | None) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _outside(module: Module, loop: Loop, event: Event) -> Fix | None:
    """The line taken out of the loop over the batches, and written after it."""
    line = statement(module, event)
    indent = indentation(module, loop.node)
    if line is None or event.via is not None or loop.outer is None or indent is None or loop.node.orelse:
        return None
    whole = whole_line(module, line)
    if whole is None or module.tree.parent(line) is not loop.node or loop.node.body == [line]:
        return None
    source = module.source
    text = indent + source.text[whole.start : whole.end].lstrip()
    last = loop.node.end_lineno or 0
    at = source.offset(last, 0) + len(source.lines[last - 1])
    if loop.node.body[-1] is line:
        return Fix((replace(whole, text),), safe=False)
    return Fix((delete(whole), insert(at, text)), safe=False) if source.text[at - 1] == "\n" else None
