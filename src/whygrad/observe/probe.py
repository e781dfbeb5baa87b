"""A second look: where a gradient was lost, the next call in the same place is measured."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.stats import plain

_LOOKS = 3  #: a place is looked at this often
_PLACES = 200


def suspect(recorder: Recorder, kind: int) -> None:
    """Measure the next calls of operation kind ``kind``."""
    if kind not in recorder.suspicious and len(recorder.suspicious) < _PLACES:
        recorder.suspicious[kind] = _LOOKS


def second_look(recorder: Recorder, index: int, args: Any, kwargs: Any, results: list[torch.Tensor]) -> None:
    """Measure the operands of an operation just recorded, if its place is under suspicion."""
    op = recorder.ops[index]
    left = recorder.suspicious.get(op.kind, 0)
    if not left:
        return
    recorder.suspicious[op.kind] = left - 1
    operands = []
    with torch.no_grad(), recorder.pause():
        for place, tensors in (("in", tensors_in([args, kwargs], 4)), ("out", results)):
            ids = op.ins if place == "in" else op.outs
            for position, tensor in enumerate(tensors):
                seen = _measure(tensor)
                if seen is not None:
                    value = ids[position] if position < len(ids) else -1
                    operands.append(t.Operand(place, position, value, *seen))
    recorder.probes.append(t.Probe(index, tuple(operands)))


def _measure(tensor: torch.Tensor) -> tuple[float, float, float, int] | None:
    """Lowest and highest finite value, share of exact zeros, number of non-finite elements."""
    data = plain(tensor)
    if data is None:
        return None
    finite = torch.isfinite(data)
    bad = int((~finite).sum())
    good = data[finite]
    if good.numel() == 0:
        return 0.0, 0.0, 0.0, bad
    low, high = torch.aminmax(good)
    return float(low), float(high), float((good == 0).float().mean()), bad
