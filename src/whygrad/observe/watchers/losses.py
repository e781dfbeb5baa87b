"""What loss functions are given: the range of scores and targets, and whether the scores are probabilities.

The first calls at each place are looked at. The numbers stay on their device until the trace is written. A subtraction of
a target from an output counts as well: it is how most losses written by hand begin.
"""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import ordinary
from whygrad.observe.values import Note
from whygrad.observe.watcher import Watcher

_LOOKS = 3  #: calls looked at for each place
_LIMIT = 2**18  #: elements looked at of a tensor
_CLASSES = ("cross_entropy", "nll_loss")
_DIFFERENCES = ("sub", "subtract", "__rsub__", "__sub__")
_NAMES = (*_CLASSES, "binary_cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss",
          "kl_div", "ctc_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", *_DIFFERENCES)  # fmt: skip
_QUANTILES = 21

Numbers = list[torch.Tensor]


class Watch(Watcher):
    """Keeps one small tensor of statistics for each look."""

    names = frozenset(_NAMES)

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._times: dict[tuple[str, int], int] = {}
        self._looks: list[tuple[str, int, int, int, int, bool, torch.Tensor]] = []

    def called(self, call: Call) -> None:
        """A loss function has returned."""
        if call.op < 0:
            return
        name, ops = call.function.name, self.recorder.ops
        key = (name, self.recorder.kinds[ops[call.op].kind].stack)
        if self._times.get(key, 0) >= _LOOKS:
            return
        scores, target = _given(call)
        if type(call.result) is not torch.Tensor or not call.result.requires_grad:
            return
        if not ordinary(scores) or not scores.is_floating_point() or not (target is None or ordinary(target)):
            return
        known = [self._note(one) for one in (scores, target)]
        if known[0] is None or (name in _DIFFERENCES and not _difference(call, known)):
            return
        self._times[key] = self._times.get(key, 0) + 1
        with Quiet():
            seen = _measured(name, scores, target, call)
        vids = [-1 if note is None else note.vid for note in known]
        carries = known[1] is not None and (known[1].carries or known[1].param >= 0)
        self._looks.append((name, key[1], call.op, vids[0], vids[1], carries, seen))

    def _note(self, tensor: Any) -> Note | None:
        return self.recorder.values.get(tensor) if isinstance(tensor, torch.Tensor) else None

    def facts(self) -> dict[str, Any]:
        """One record for each look."""
        return {"losses": tuple(_record(*look) for look in self._looks)}


def _given(call: Call) -> tuple[Any, Any]:
    """Scores and target of a call, whatever their names and order."""
    first = "log_probs" if call.function.name == "ctc_loss" else "input"
    second = "targets" if call.function.name == "ctc_loss" else "target"
    if call.function.name in _DIFFERENCES:
        first, second = "input", "other"
    one, other = call.argument(0, first), call.argument(1, second)
    if call.function.name in _DIFFERENCES and ordinary(other) and other.requires_grad:
        return other, one
    return one, other


def _difference(call: Call, known: list[Note | None]) -> bool:
    """Whether a subtraction is one of an output and a target of its shape."""
    scores, target = known
    if scores is None or target is None or scores.param >= 0 or target.requires_grad or target.carries:
        return False
    return scores.shape == target.shape == tuple(call.result.shape)


def _measured(name: str, scores: torch.Tensor, target: torch.Tensor | None, call: Call) -> torch.Tensor:
    own = scores.detach()
    dim = 1 if name in _CLASSES and own.dim() > 1 else -1
    low, high = torch.aminmax(own)
    numbers = [low, high, *_normalised(own, dim, name == "kl_div"), *_normalised(own, 0, False)]
    numbers.append(_edge(name, own, target, call))
    numbers.append(call.result.detach().mean(dtype=torch.float32))
    goal = None if target is None or name == "ctc_loss" else target.detach()
    whole = name in _CLASSES and goal is not None and not goal.is_floating_point()
    if goal is None or whole:
        goal = torch.full((1,), torch.nan, device=own.device)
    goal = goal.to(torch.float32) if not goal.is_floating_point() else goal
    numbers += _normalised(goal, dim if goal.dim() > 1 else -1, name == "kl_div")
    numbers += list(_spread(goal))
    return torch.stack([n.to(torch.float32) for n in numbers])


def _part(data: torch.Tensor, dim: int) -> torch.Tensor:
    """So much of a tensor that its elements along ``dim`` can be summed at little cost."""
    if data.numel() > _LIMIT:
        other = 0 if data.dim() > 1 and dim % data.dim() != 0 else -1
        if other % data.dim() != dim % data.dim():
            share = data.numel() // data.shape[other]
            data = data.narrow(other, 0, min(data.shape[other], max(1, _LIMIT // share)))
    return data.to(torch.float32)


def _normalised(data: torch.Tensor, dim: int, anywhere: bool) -> Numbers:
    """Least and greatest sum along ``dim``, how far the sums are from 1 in the mean, and the same for logarithms (the
    mean absolute logsumexp). ``anywhere``: of the dimension (or all) that comes nearest."""
    if data.dim() == 0:
        return [torch.full((), torch.nan, device=data.device)] * 4
    tries = [(data, dim)]
    if anywhere and data.dim() > 1 and data.numel() <= _LIMIT:
        tries += [(data, i) for i in range(min(3, data.dim() - 1))] + [
            (data.flatten(), 0),
            (data.flatten(1), 1),
        ]
    sums, logs = [], []
    for one, along in tries:
        part = _part(one, along)
        total = part.sum(along)
        sums.append(torch.stack([*torch.aminmax(total), (total - 1).abs().mean()]))
        logs.append(torch.logsumexp(part, along).abs().mean())
    off = torch.stack(sums)
    nearest = off[:, 2].nan_to_num(torch.inf).argmin(0, keepdim=True)  # a number as index would be waited for
    return [*off.index_select(0, nearest)[0], torch.stack(logs).nan_to_num(torch.inf).min()]


def _edge(name: str, scores: torch.Tensor, target: torch.Tensor | None, call: Call) -> torch.Tensor:
    """The share of scores at exactly 0 (or 1, for a probability); for class numbers that of their own scores."""
    if name == "cross_entropy" and target is not None and scores.dim() > 1 and not target.is_floating_point():
        ignored = call.argument(4, "ignore_index", -100)
        counts = target != ignored
        own = scores.detach().gather(1, target.clamp(0, scores.shape[1] - 1).unsqueeze(1)).squeeze(1)
        share: torch.Tensor = ((own == 0) & counts).sum() / counts.sum()
        return share
    if name == "binary_cross_entropy":
        return ((scores == 0) | (scores == 1)).float().mean()
    return (scores == 0).float().mean()


def _spread(goal: torch.Tensor) -> torch.Tensor:
    """Quantiles of the targets, in equal steps from the least to the greatest."""
    flat = goal.reshape(-1) if goal.numel() <= _LIMIT else goal.flatten()
    flat = flat[:: max(1, flat.numel() // 4096)].to(torch.float32)
    middle: torch.Tensor = torch.quantile(
        flat, torch.linspace(0, 1, _QUANTILES, dtype=torch.float32, device=flat.device)
    )
    middle[0], middle[-1] = torch.aminmax(goal)
    return middle


def _record(
    name: str, stack: int, op: int, scores: int, target: int, carries: bool, seen: torch.Tensor
) -> t.LossLook:
    n = [float(x) for x in seen.tolist()]
    spread = n[16:] if n[16] == n[16] else []
    return t.LossLook(
        name, stack, op, scores, target, carries, n[0], n[1], t.Sums(*n[2:6]), t.Sums(*n[6:10]), n[10], n[11],
        t.Sums(*n[12:16]), tuple(spread),
    )  # fmt: skip
