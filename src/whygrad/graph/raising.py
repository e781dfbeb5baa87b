"""What rules about exceptions ask: does the message match, which places belong to it, what is odd about a tensor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from whygrad import finding as f
from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


_DEVICE = re.compile(r"same device|different device|two devices|expected device|is not on the .*device")
_DTYPE = re.compile(
    r"dtype(?! can require)|scalar type|should be the same$|not implemented for '|must be long, int|can't be cast"
)
_RANGE = re.compile(r"out of bounds|[iI]ndex out of range|device-side assert|[cC]lass values must be")
_SHAPE = re.compile(
    r"^(?!.*between 0 and 1)(?s:.)*?(?:size|shape|[dD]imension|channels|elements|value per channel|numel)"
)


def raised(graph: Graph, *fragments: str) -> t.Raised | None:
    """The exception that ended the script, if its message holds one of ``fragments``."""
    error = graph.trace.raised
    return error if error is not None and any(part in error.message for part in fragments) else None


def made(graph: Graph, value: int) -> int:
    """The stack where a value was made: that of its operation, else where it was first seen to be made; -1: unknown."""
    own = graph.trace.values[value]
    return graph.flow.kind(own.op).stack if own.op >= 0 else own.created


def nearest(graph: Graph, stack: int, to: int, role: str) -> tuple[f.Site, ...]:
    """The places of ``stack``, that first which lies in the function from which ``to`` was called: where a loss was
    computed in the loop comes before the line inside the loss function."""
    if stack < 0:
        return ()
    frames = list(graph.trace.stacks[stack])
    if to >= 0:
        here = graph.trace.frames[graph.trace.stacks[to][0]]
        same = [
            n
            for n in frames
            if (graph.trace.frames[n].file, graph.trace.frames[n].function) == (here.file, here.function)
        ]
        frames = same[:1] + [n for n in frames if n not in same[:1]]
    return tuple(graph.site(n, role if i == 0 else "made here") for i, n in enumerate(frames[:3]))


def module_of(graph: Graph, param: int) -> str:
    """The name of the module that a parameter belongs to, empty for one that stands alone."""
    return graph.trace.params[param].fqn.rpartition(".")[0]


def called(graph: Graph, given: t.Given) -> str:
    """A tensor in words: the parameter's name, else the argument's."""
    if given.param >= 0 and graph.trace.params[given.param].named:
        return graph.trace.params[given.param].fqn
    return given.name if given.name.startswith("argument ") else f"the argument `{given.name}`"


def labels(graph: Graph, tensors: Iterable[t.Given]) -> list[tuple[str, t.Given]]:
    """Tensors with names that differ, for evidence."""
    found: dict[str, t.Given] = {}
    for given in tensors:
        name = called(graph, given).removeprefix("the argument ").strip("`")
        found.setdefault(name if name not in found else f"{name} {len(found) + 1}", given)
    return list(found.items())


def sized(shape: Iterable[int]) -> str:
    """A shape as torch shows it."""
    return f"[{', '.join(map(str, shape))}]"


def mismatch(error: t.Raised | None) -> str:
    """What torch found wrong with the tensors that a call of its was given: ``device``, ``dtype``, ``range`` (of an
    index), ``shape``, or nothing of the kind."""
    if error is None or (not error.call and "device-side assert" not in error.message):
        return ""
    text = error.message.partition("\n")[0].strip()
    devices = {g.device for g in error.tensors if g.shape}
    if _DEVICE.search(text) or ("should be the same" in text and len(devices) > 1):
        return "device"
    for kind, pattern in (("range", _RANGE), ("dtype", _DTYPE), ("shape", _SHAPE)):
        if pattern.search(text):
            return kind
    return ""


def usual_dtype(graph: Graph) -> str:
    """The dtype that most parameters of the models have, empty if there are none."""
    found = Counter(p.dtype for p in graph.trace.params if p.role == "parameter")
    return found.most_common(1)[0][0] if found else ""


def origin(graph: Graph, given: t.Given, role: str) -> list[f.Site]:
    """Where the numbers of a tensor come from: where a parameter was made; else where data entered torch, and where the
    tensor itself was made."""
    if given.param >= 0:
        own = graph.trace.params[given.param]
        changed = graph.sites(own.written, role, 1) if own.written_by == "data =" else ()
        return [*changed, *graph.sites(own.created, role, 1, True)]
    value = graph.trace.values[given.value]
    entered = [s for stack in value.imports[:2] for s in graph.sites(stack, role, 1)]
    return [*entered, *graph.sites(made(graph, given.value), role if not entered else "made here", 1)]
