"""What the nodes of an autograd graph have saved for their backward.

It is asked for only where something went wrong, and never once the script has used hooks on saved tensors: to unpack
one would run the user's hook, or a checkpointed forward again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.probe import measure
from whygrad.observe.recorder import Recorder

_MODIFIED = "has been modified by an inplace operation"
_SAVED = ("_saved_", "saved_tensors")
_RESULTS = ("_saved_result", "_saved_output", "_saved_out", "_saved_grad_input")
_LOOKS = 2  #: forward passes with a non-finite loss that are looked into
_VALUES = 20_000


def spoilt(
    nodes: Sequence[Any], parents: Sequence[Sequence[tuple[int, int]]], ran: set[int], message: str
) -> Any:
    """The node that could not unpack a saved tensor because it had been modified: the error names no place, but the
    node says the same again when it is asked. Only nodes that autograd had come to are asked, the likeliest first."""
    if _MODIFIED not in message:
        return None
    reached = [
        node
        for i, node in enumerate(nodes)
        if i not in ran and all(parent in ran for parent, _ in parents[i])
    ]
    for node in sorted(reached, key=lambda node: -int(node._sequence_nr())):
        if any(_says(node, name, message) for name in dir(node) if name.startswith(_SAVED)):
            return node
    return None


def _says(node: Any, name: str, message: str) -> bool:
    """Whether unpacking a saved tensor raises the same error (its hint apart)."""
    try:
        getattr(node, name)
    except RuntimeError as error:
        return str(error).partition(" Hint")[0] == message.partition(" Hint")[0]
    return False


def ranges(node: Any) -> tuple[t.Operand, ...]:
    """What a node has saved: the operands of its operation, and its result."""
    found: list[t.Operand] = []
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            if isinstance(value, torch.Tensor) and (seen := measure(value)) is not None:
                place = "out" if name in _RESULTS else "in"
                found.append(t.Operand(place, len(found), -1, *seen))
    return tuple(found)


def census(recorder: Recorder, nodes: Iterable[Any], operation: Callable[[Any], int]) -> None:
    """The loss about to be given to backward is not finite: note the range of every value that is still there, before the
    weights are spoilt too."""
    if len(recorder.censuses) >= _LOOKS:
        return
    found = dict(_living(recorder))
    found.update(_unnumbered(recorder))
    if not recorder.saved_hooks:
        for node in nodes:
            op = operation(node)
            result = _result(node)
            if op >= 0 and result is not None and len(recorder.ops[op].outs) == 1:
                found.setdefault(recorder.ops[op].outs[0], result)
    operands = [
        t.Operand("out", 0, vid, *seen)
        for vid, tensor in list(found.items())[:_VALUES]
        if (seen := measure(tensor)) is not None
    ]
    recorder.censuses.append(t.Census(len(recorder.backwards), tuple(operands)))


def _living(recorder: Recorder) -> Iterator[tuple[int, torch.Tensor]]:
    """The numbered tensors that still exist: the script's variables, parameters, and what autograd has saved."""
    for tensor, note in recorder.values.living():
        if note.vid >= 0:
            yield note.vid, tensor


def _unnumbered(recorder: Recorder) -> Iterator[tuple[int, torch.Tensor]]:
    """What no recorded operation has taken itself, but perhaps a part of it: data that is not finite."""
    for tensor, note in recorder.values.living():
        if note.vid < 0 and note.param < 0 and (seen := measure(tensor)) is not None and seen[3]:
            yield recorder.values.number(note), tensor


def _result(node: Any) -> torch.Tensor | None:
    """The result of an operation that its node has saved."""
    for name in _RESULTS:
        try:
            value = getattr(node, name, None)
        except RuntimeError:  # it was modified in place, or freed
            return None
        if isinstance(value, torch.Tensor):
            return value
    return None
