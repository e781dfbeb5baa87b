"""What rules about exceptions ask: does the message match, which places belong to it, what is odd about a tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from whygrad import finding as f
from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


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
    return f"the argument `{given.name}`"


def sized(shape: Iterable[int]) -> str:
    """A shape as torch shows it."""
    return f"[{', '.join(map(str, shape))}]"
