"""Lines of the user's source for nodes of a live autograd graph, where the code is being recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import torch

from whygrad import trace as t
from whygrad.api.recording import observation
from whygrad.graph import Graph


class Place(msgspec.Struct, frozen=True):
    """A line of the user's source."""

    file: str
    line: int
    code: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f"  {self.code}" if self.code else "")


def place_of(node: Any) -> Place | None:
    """Where the operation was called that made ``node``; None outside of a recording."""
    seen = observation()
    if seen is None:
        return None
    index = seen.backwards.operation_of(node)
    if index < 0:
        return None
    recorder = seen.recorder
    stack = recorder.kinds[recorder.ops[index].kind].stack
    if stack < 0:
        return None
    frame = recorder.stacks.record(recorder.stacks.stacks[stack][0], seen.cwd)
    return Place(frame.file, frame.line, frame.code)


def cuts(loss: torch.Tensor, parameter: torch.Tensor) -> tuple[Place, ...]:
    """Where the path from ``parameter`` to ``loss`` is cut, as far as it was recorded."""
    seen = observation()
    if seen is None:
        return ()
    recorder = seen.recorder
    entry, note = recorder.params.find(parameter), recorder.values.get(loss)
    if entry is None or note is None or note.vid < 0:
        return ()
    trace = seen.trace("", (), "end", None, 0, 0.0)
    # a backward pass that reached nothing: what a call of backward() on this loss would leave in the record
    tried = t.Backward(recorder.tick + 1, "backward", -1, (note.vid,), None, (), ())
    graph = Graph(msgspec.structs.replace(trace, backwards=(*trace.backwards, tried)))
    found: dict[Place, None] = {}
    for op in graph.flow.cuts(entry.index, len(trace.backwards)):
        for site in graph.op_sites(op, "cut", 0):
            found.setdefault(Place(site.file, site.line, site.code))
    return tuple(found)


@contextmanager
def unseen() -> Iterator[None]:
    """Whatever runs inside is no part of the recording, if there is one."""
    seen = observation()
    if seen is not None:
        seen.suspend()
    try:
        yield
    finally:
        if seen is not None:
            seen.resume()
