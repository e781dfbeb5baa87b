"""A second look: where a gradient was lost, the next call in the same place is measured."""

from __future__ import annotations

from collections import deque
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.stats import capturing, plain

_LOOKS = 3  #: a place is looked at this often
_PLACES = 200
_CHOICES = (torch.bool, torch.int32, torch.int64)
_BACK = 100  #: operations looked back from one that was given non-finite numbers


def suspect(recorder: Recorder, kind: int) -> None:
    """Measure the next calls of operation kind ``kind``."""
    if kind not in recorder.suspicious and len(recorder.suspicious) < _PLACES:
        recorder.suspicious[kind] = _LOOKS


def second_look(recorder: Recorder, index: int, args: Any, kwargs: Any, results: list[torch.Tensor]) -> None:
    """Measure the operands of an operation just recorded, if its place is under suspicion."""
    op = recorder.ops[index]
    left = recorder.suspicious.get(op.kind, 0)
    if not left or capturing():
        return
    recorder.suspicious[op.kind] = left - 1
    operands = []
    with Quiet():
        for place, tensors in (("in", tensors_in([args, kwargs], 4)), ("out", results)):
            ids = op.ins if place == "in" else op.outs
            for position, tensor in enumerate(tensors):
                seen = measure(tensor)
                if seen is not None:
                    value = ids[position] if len(ids) == len(tensors) else _number(recorder, tensor, ids)
                    operands.append(t.Operand(place, position, value, *seen))
    recorder.probes.append(t.Probe(index, tuple(operands)))
    if any([o.nonfinite and o.place == "in" for o in operands]):
        _suspect_upstream(recorder, op)


def _number(recorder: Recorder, tensor: torch.Tensor, ids: tuple[int, ...]) -> int:
    """The value id of an operand, where values written into the operands' storages stand between them."""
    note = recorder.values.get(tensor)
    return note.vid if note is not None and note.vid in ids else -1


def _suspect_upstream(recorder: Recorder, op: t.Op) -> None:
    """An operation was given non-finite numbers: at the next call look at those before it too."""
    queue, seen = deque([op]), {op}
    while queue and len(seen) < _BACK:
        for vid in queue.popleft().ins:
            made = recorder.values.records[vid].op
            if made >= 0 and (before := recorder.ops[made]) not in seen:
                seen.add(before)
                queue.append(before)
                suspect(recorder, before.kind)


def measure(tensor: torch.Tensor) -> tuple[float, float, float, int, int] | None:
    """Lowest and highest finite value, share of exact zeros, number of non-finite elements, and of NaN among them."""
    data = plain(tensor)
    if data is None and not tensor.is_meta and tensor.numel() and tensor.dtype in _CHOICES:
        data = tensor.detach().to(torch.float64)  # a mask or labels: what they choose may be nothing
    if data is None:
        return None
    finite = torch.isfinite(data)
    bad, nan = int((~finite).sum()), int(data.isnan().sum())
    good = data[finite]
    if good.numel() == 0:
        return 0.0, 0.0, 0.0, bad, nan
    low, high = torch.aminmax(good)
    return float(low), float(high), float((good == 0).float().mean()), bad, nan
