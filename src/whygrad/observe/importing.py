"""Python numbers and arrays that become tensors, joined to what they were computed from."""

from __future__ import annotations

from typing import Any

import torch

from whygrad.observe.call import Args, Kwargs
from whygrad.observe.names import Function
from whygrad.observe.recorder import Recorder
from whygrad.observe.values import Note, merge_imports

#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None


def imported(
    recorder: Recorder,
    function: Function,
    call: tuple[Args, Kwargs],
    data: Args,
    result: Any,
    notes: list[Note],
) -> None:
    """Python numbers, tensors or an array became a new tensor: join it to what it was made of, where that is seen."""
    if not isinstance(result, torch.Tensor):
        return
    source = data[0] if data else call[1].get("data")
    if source is result:
        return
    address = getattr(source, "__array_interface__", None)
    if isinstance(address, dict):
        known = recorder.values.imported(int(address["data"][0]))
        notes = [*notes, known] if known is not None else notes
    elif isinstance(source, (int, float, list, tuple)):
        numbers = _flat(source)
        notes = (
            notes + recorder.escapes.returning(numbers) + recorder.escapes.choosing(numbers, recorder.tick)
        )
    stack = recorder.stacks.here()
    if any([n.carries for n in notes]):
        recorder.operation(function, call, notes, [result], stack=stack)
        note = recorder.values.get(result)
    else:
        note = recorder.fresh(result, notes, function, stack)
    if note is not None:
        note.imports = merge_imports([note.imports, (stack,)])
    if recorder.escapes:
        recorder.entered(stack)


def _flat(numbers: Any) -> list[Any]:
    out: list[Any] = []
    for one in numbers if isinstance(numbers, (list, tuple)) else [numbers]:
        if isinstance(one, (list, tuple)):
            out.extend(_flat(one))
        else:
            out.append(one)
        if len(out) > 256:
            break
    return out


def is_method(args: Args) -> bool:
    """Whether a call looks like one of a tensor's method that is given data."""
    return bool(args) and isinstance(args[0], torch.Tensor) and len(args) > 1
