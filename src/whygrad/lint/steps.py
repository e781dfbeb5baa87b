"""What the rules about training loops share: rounds of training as events, and moves of statements within them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint import training
from whygrad.lint.edits import Fix, delete, insert
from whygrad.lint.flow import chain
from whygrad.lint.module import Module
from whygrad.lint.source import Span
from whygrad.lint.training import Event, Kind, Loop

#: Calls that have nothing to do with gradients, whatever they are given.
_HARMLESS = frozenset(
    {"print", "len", "range", "enumerate", "zip", "float", "int", "str", "sum", "max", "min", "isinstance", "format", "round",
     "abs", "list", "tuple", "dict", "getattr", "hasattr", "tqdm", "sorted", "type", "super", "open", "item", "append", "write",
     "update", "detach", "cpu", "add_scalar", "info", "debug", "set_postfix", "set_description", "time", "log", "flush"}
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Round:
    """One pass of training as it is written out: the body of a loop (``loop``), or of a function that holds a whole step."""

    node: ast.AST
    module: Module
    events: tuple[Event, ...]
    loop: Loop | None = None

    def of(self, *kinds: Kind) -> list[Event]:
        """The events of these kinds, in order."""
        return [event for event in self.events if event.kind in kinds]


def rounds(module: Module) -> Iterator[Round]:
    """The loops around a ``backward``, and the functions and methods with a ``backward`` that no loop of theirs is around."""
    for loop in module.loops():
        yield Round(loop.node, module, tuple(loop.events), loop)
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [
        *module.nodes(ast.FunctionDef),
        *module.nodes(ast.AsyncFunctionDef),
    ]
    called = {call.func.attr for call in module.nodes(ast.Call) if isinstance(call.func, ast.Attribute)}
    if not called & {"backward", "manual_backward"}:
        return
    for function in functions:
        events = training.function_events(module, function)
        if any(e.kind == "backward" and not e.loops and e.via is None for e in events):
            yield Round(function, module, tuple(events))


def plain_rounds(module: Module) -> Iterator[Loop]:
    """The training loops in which one optimizer steps at every round, and none of the calls that are not understood is
    given that optimizer to do something with its gradients."""
    for loop in module.loops():
        steps = [event for event in loop.of("step") if event.always and event.name]
        backwards = [event for event in loop.of("backward") if event.always]
        if len({event.name for event in loop.of("step")}) != 1 or not steps or not backwards:
            continue
        closure = any(
            event.node.args or event.node.keywords for event in steps if isinstance(event.node, ast.Call)
        )
        if not closure and not any(given(call, steps[0].name) for call in loop.unseen):
            yield loop


def given(call: ast.Call, name: str) -> bool:
    """Whether a call that is not understood gets hold of an object, by its name."""
    called = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return called not in _HARMLESS and any(chain(argument) == name for argument in arguments)


def handed_on(module: Module, loop: Loop) -> bool:
    """Whether a call that is not understood gets a model whose parameters an optimizer of the file holds."""
    names = {one.name for one in module.held if one.name}
    return any(given(call, name) for call in loop.unseen for name in names)


def elsewhere(module: Module, node: ast.AST, word: str) -> bool:
    """Whether a function of another file of the project that is called in ``node`` may do it, by a word in its file."""
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call))
    found = (module.callee(call) for call in calls)
    return any(f is not None and f[0] is not module and word in f[0].source.text for f in found)


def here(event: Event) -> bool:
    """Whether an event stands in the round's own text, not in a function called from it."""
    return event.via is None


def quiet_between(module: Module, first: Event, last: Event) -> bool:
    """Whether between two events of one text nothing is called that may touch gradients, and none is looked at."""
    start, end = _end(first.node), _start(last.node)
    known = {first.node, last.node}
    for call in module.nodes(ast.Call):
        if start <= _start(call) < end and call not in known:
            name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
            if name not in _HARMLESS and training.classify(module, call) is None:
                return False
    return not any(start <= _start(use) < end for use in module.nodes(ast.Attribute) if use.attr == "grad")


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def statement(module: Module, event: Event) -> ast.stmt | None:
    """The statement that an event is all of; None if it is a part of another."""
    found = module.tree.statement(event.node)
    return (
        found if found is event.node or (isinstance(found, ast.Expr) and found.value is event.node) else None
    )


def moved(
    module: Module, event: Event, after: Event | None = None, before: Event | None = None
) -> Fix | None:
    """The event's line, with its comment, taken away and written again behind (or in front of) another of its block."""
    anchor = after or before
    assert anchor is not None
    line, there = statement(module, event), statement(module, anchor)
    return moved_line(module, line, there, behind=after is not None) if line and there else None


def moved_line(module: Module, line: ast.stmt, there: ast.stmt, behind: bool) -> Fix | None:
    """The same for a statement; both must stand on lines of their own in the same block."""
    whole = whole_line(module, line)
    if whole is None or whole_line(module, there, long=True) is None:
        return None
    if module.tree.parent(line) is not module.tree.parent(there):
        return None
    source = module.source
    at = _below(module, there) if behind else source.offset(there.lineno, 0)
    text = source.text[whole.start : whole.end]
    if not text.endswith("\n") or source.text[at - 1 : at] not in ("\n", ""):
        return None
    return Fix((delete(whole), insert(at, text)))


def _below(module: Module, there: ast.stmt) -> int:
    last = there.end_lineno or there.lineno
    return module.source.offset(last, 0) + len(module.source.lines[last - 1])


def whole_line(module: Module, line: ast.stmt, long: bool = False) -> Span | None:
    """The line (or lines, if it may be ``long``) on which nothing stands but a statement and a comment."""
    end = line.end_lineno or line.lineno
    source = module.source
    span = source.span(line)
    start, stop = source.offset(line.lineno, 0), _below(module, line)
    behind = source.text[span.end : stop].strip()
    continued = line.lineno > 1 and source.line(line.lineno - 1).endswith("\\")
    if (end != line.lineno and not long) or source.text[start : span.start].strip() or continued:
        return None
    return Span(start, stop) if not behind or behind.startswith("#") else None
