"""Training loops as a sequence of events: what clears, deposits, clips and uses gradients, in the order of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from whygrad.lint.flow import chain
from whygrad.lint.nodes import children

if TYPE_CHECKING:
    from whygrad.lint.module import Module

LoopNode = ast.For | ast.AsyncFor | ast.While
Kind = Literal[
    "backward",
    "step",
    "zero_grad",
    "scheduler",
    "clip",
    "unscale",
    "scaler_step",
    "scaler_update",
    "train",
    "eval",
]

_OPTIMIZER = re.compile(
    r"(^|[._])(opt|optim|optimi[sz]er)s?(_?[a-z0-9]+)?$|(^|[._])\w+_(opt|optim|optimi[sz]er)$", re.IGNORECASE
)
_SCHEDULER = re.compile(r"sched|warmup", re.IGNORECASE)
_CLIP = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm")


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens to gradients or weights in a loop.

    ``node`` is the call (or ``p.grad = None``), in the file ``module``; ``subject`` what it is about: the loss of a
    ``backward``, else the object whose method it is; ``name`` that subject as text (``self.opt``), if it is names only.
    ``conditions``: the ``if`` statements between it and the loop (or the function it stands in). ``via``: the call in
    the loop by which it is reached, for one in another function. ``loops``: inner loops around it."""

    kind: Kind
    node: ast.AST
    module: Module
    subject: ast.expr | None = None
    name: str = ""
    conditions: tuple[ast.AST, ...] = ()
    loops: tuple[LoopNode, ...] = ()
    via: ast.Call | None = None

    @property
    def always(self) -> bool:
        """Whether it happens at every round of the loop, once."""
        return not self.conditions and not self.loops


@dataclass(eq=False)
class Loop:
    """A loop in which ``backward`` is called, with its events in order. ``outer``: the next loop around it in the same
    function, whose events include those of this one. ``unseen``: calls in the body that are not understood (of functions
    that are not in this project, with an optimizer or model among their arguments) and may do any of it."""

    node: LoopNode
    module: Module
    events: list[Event]
    outer: Loop | None = None
    unseen: list[ast.Call] = field(default_factory=list)

    def of(self, *kinds: Kind) -> list[Event]:
        """The events of these kinds, in order."""
        return [event for event in self.events if event.kind in kinds]


def loops(module: Module) -> list[Loop]:
    """The innermost loop around each ``backward`` of the file, by place in the source."""
    made: dict[ast.AST, Loop] = {}
    found: list[Loop] = []
    nodes: list[LoopNode] = [
        *module.tree.nodes(ast.For),
        *module.tree.nodes(ast.AsyncFor),
        *module.tree.nodes(ast.While),
    ]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        loop = _loop(module, node, made)
        if any(event.kind == "backward" and not event.loops for event in loop.events):
            found.append(loop)
    return found


def _loop(module: Module, node: LoopNode, made: dict[ast.AST, Loop]) -> Loop:
    if node not in made:
        unseen: list[ast.Call] = []
        events = list(_events(module, node.body, unseen, inline=True))
        around = next((n for n in module.tree.above(node) if isinstance(n, (*_LOOPS, *_FUNCTIONS))), None)
        outer = _loop(module, around, made) if isinstance(around, _LOOPS) else None
        made[node] = Loop(node, module, events, outer, unseen)
    return made[node]


_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def function_events(
    module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
) -> list[Event]:
    """The events in the body of a function or file, those of its loops included, in order."""
    return list(_events(module, function.body, [], inline=True))


def _events(module: Module, body: list[ast.stmt], unseen: list[ast.Call], inline: bool) -> Iterator[Event]:
    """In the order in which they run: arguments before the call, a loop's body where it stands."""

    def visit(node: ast.AST, conditions: tuple[ast.AST, ...], inner: tuple[LoopNode, ...]) -> Iterator[Event]:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return
        if isinstance(node, ast.If | ast.IfExp):
            yield from visit(node.test, conditions, inner)
            branches: list[ast.AST] = (
                [node.body, node.orelse] if isinstance(node, ast.IfExp) else [*node.body, *node.orelse]
            )
            for branch in branches:
                yield from visit(branch, (*conditions, node), inner)
            return
        if isinstance(node, ast.ExceptHandler | ast.match_case):
            conditions = (*conditions, node)
        if isinstance(node, _LOOPS):
            inner = (*inner, node)
        if isinstance(node, ast.Call):
            for part in (node.func, *node.args, *node.keywords):
                yield from visit(part, conditions, inner)
            yield from _of_call(module, node, conditions, inner, unseen, inline)
            return
        if isinstance(node, ast.Assign):
            yield from _cleared_by_hand(module, node, conditions, inner)
        for child in children(node):
            yield from visit(child, conditions, inner)

    for statement in body:
        yield from visit(statement, (), ())


def _cleared_by_hand(
    module: Module, node: ast.Assign, conditions: tuple[ast.AST, ...], inner: tuple[LoopNode, ...]
) -> Iterator[Event]:
    for target in node.targets:
        if isinstance(target, ast.Attribute) and target.attr == "grad":
            yield Event("zero_grad", node, module, target.value, chain(target.value), conditions, inner)


def _of_call(
    module: Module,
    call: ast.Call,
    conditions: tuple[ast.AST, ...],
    inner: tuple[LoopNode, ...],
    unseen: list[ast.Call],
    inline: bool,
) -> Iterator[Event]:
    found = classify(module, call)
    if found is not None:
        kind, subject = found
        yield Event(
            kind, call, module, subject, chain(subject) if subject is not None else "", conditions, inner
        )
        return
    if not inline:
        return
    target = module.callee(call)
    if target is None:
        unseen.append(call)
        return
    other, function = target
    for event in _events(other, function.body, unseen, inline=False):
        yield Event(
            event.kind, event.node, other, event.subject, event.name,
            (*conditions, *event.conditions), (*inner, *event.loops), call,
        )  # fmt: skip


def classify(module: Module, call: ast.Call) -> tuple[Kind, ast.expr | None] | None:
    """What a call does to gradients or weights, and to what; None if nothing that is known."""
    name = module.dotted(call.func)
    first = call.args[0] if call.args else None
    if name in _CLIP:
        return "clip", first
    if name in ("torch.autograd.backward",):
        return "backward", first
    if not isinstance(call.func, ast.Attribute):
        return None
    receiver, method = call.func.value, call.func.attr
    if method in ("backward", "manual_backward"):
        return _backward(module, call, receiver)
    if method == "zero_grad" or (method == "zero_" and ".grad" in f".{chain(receiver)}"):
        return "zero_grad", receiver
    if method in ("clip_grad_norm_", "clip_grad_value_"):
        return "clip", first
    if method == "unscale_":
        return "unscale", receiver
    if method in ("train", "eval") and not name.startswith("torch."):
        off = method == "train" and isinstance(first, ast.Constant) and first.value is False
        return ("eval" if off or method == "eval" else "train"), receiver
    if method == "update" and _is(module, receiver, "scaler", re.compile("scaler", re.IGNORECASE)):
        return "scaler_update", receiver
    return _step(module, call, receiver) if method == "step" else None


def _backward(module: Module, call: ast.Call, receiver: ast.expr) -> tuple[Kind, ast.expr | None]:
    """``loss.backward()``, ``scaler.scale(loss).backward()``, ``accelerator.backward(loss)``."""
    if (
        isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Attribute)
        and receiver.func.attr == "scale"
    ):
        return "backward", receiver.args[0] if receiver.args else receiver
    frame = chain(receiver).rpartition(".")[2]
    if call.args and (frame in ("accelerator", "fabric", "self", "strategy", "engine") or "engine" in frame):
        return "backward", call.args[0]
    return "backward", receiver


def _step(module: Module, call: ast.Call, receiver: ast.expr) -> tuple[Kind, ast.expr | None] | None:
    if _is(module, receiver, "scaler", re.compile("scaler", re.IGNORECASE)):
        return "scaler_step", call.args[0] if call.args else receiver
    if _is(module, receiver, "scheduler", _SCHEDULER):
        return "scheduler", receiver
    if _is(module, receiver, "optimizer", _OPTIMIZER):
        return "step", receiver
    return None


def _is(module: Module, node: ast.expr, category: str, pattern: re.Pattern[str]) -> bool:
    known = module.category(node)
    return known == category if known is not None else bool(pattern.search(chain(node)))
