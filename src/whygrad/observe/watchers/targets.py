"""The targets of loss functions, masks that are multiplied in, and the numbers that sums are divided by.

Small tensors stay on their device until the trace is written; the padding of a batch is forgotten with its backward.
"""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.padding import meets, of_features, of_ids
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing
from whygrad.observe.values import Note
from whygrad.observe.watcher import Watcher

_CLASSES = ("cross_entropy", "nll_loss")
_LOSSES = frozenset({*_CLASSES, "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
          "smooth_l1_loss", "huber_loss", "soft_margin_loss", "hinge_embedding_loss"})  # fmt: skip
_LAST = {"margin_ranking_loss": 2, "cosine_embedding_loss": 2}  #: the target is the third argument
_SEQUENCES = frozenset({"embedding", "lstm", "gru", "rnn_tanh", "linear", "conv1d"})
_QUOTIENTS = frozenset({"div", "truediv", "divide", "true_divide", "__truediv__", "__itruediv__", "div_"})
_PRODUCTS = frozenset({"mul", "multiply", "mul_", "__imul__"})
_CASTS = frozenset({"long", "int", "to", "type", "floor_divide", "__floordiv__", "floordiv"})
_PASSES = 3  #: backward passes during which padding and masks are looked for
_LOOKS = 400  #: targets, and divisors, looked at in all
_MASKS = 40
_PADDED = 8  #: batches of sequences remembered in a pass
_LARGE = 2**22  #: elements above which nothing is looked at


class Watch(Watcher):
    """Notes them as they come; a place that is called very often is not looked at for ever."""

    names = _LOSSES | frozenset(_LAST) | _SEQUENCES | _QUOTIENTS | _PRODUCTS | _CASTS

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._padding: list[torch.Tensor] = []
        self._looks: list[tuple[str, int, int, int, torch.Tensor]] = []
        self._masks: list[tuple[int, int, torch.Tensor]] = []
        self._divisors: list[tuple[int, torch.Tensor]] = []
        self._casts: list[tuple[int, torch.Tensor]] = []

    def called(self, call: Call) -> None:
        """One of these functions has returned."""
        name = call.function.name
        early = len(self.recorder.backwards) < _PASSES
        if name in _SEQUENCES:
            if early and len(self._padding) < _PADDED:
                self._sequence(call)
        elif name in _CASTS:
            if call.op < 0 and early and len(self._casts) < _MASKS:
                self._cast(call)
        elif call.op < 0:
            return
        elif name in _QUOTIENTS:
            self._quotient(call)
        elif name in _PRODUCTS:
            if early and len(self._masks) < _MASKS:
                self._product(call)
        elif len(self._looks) < _LOOKS:
            self._loss(call, early)

    def after_backward(self) -> None:
        """The sequences of this pass are done with."""
        self._padding.clear()

    def after_step(self) -> None:
        """As above, where no backward pass was seen."""
        self._padding.clear()

    def window_ends(self) -> None:
        """Nothing of the script's stays alive."""
        self._padding.clear()

    def _sequence(self, call: Call) -> None:
        data = call.args[0] if call.args else None
        note = self._note(data)
        if not _plain(data) or (note is not None and (note.carries or note.param >= 0)):
            return
        with Quiet():
            if call.function.name == "embedding":
                found = of_ids(data, call.argument(2, "padding_idx"))
            else:
                data = data.transpose(1, 2) if call.function.name == "conv1d" and data.dim() == 3 else data
                found = of_features(data) if data.is_floating_point() else None
        if found is not None:
            self._padding.append(found)

    def _quotient(self, call: Call) -> None:
        by = call.argument(1, "other")
        if not _plain(by) or by.numel() != 1 or len(self._divisors) >= _LOOKS:
            return
        note = self._note(by)
        if note is None or not (note.carries or note.param >= 0):
            with Quiet():
                self._divisors.append((call.op, by.detach().reshape(()).clone()))

    def _cast(self, call: Call) -> None:
        given, made = call.argument(0, "input"), call.result
        if not _plain(given) or not _plain(made) or not given.is_floating_point() or made.is_floating_point():
            return
        if made.dtype is torch.bool or made.numel() < 2:
            return
        with Quiet():
            before, after = torch.aminmax(given), torch.aminmax(made)
            lost = (before[0] != before[1]) & (after[0] == after[1])
        self._casts.append((self.recorder.stacks.here(), lost))

    def _product(self, call: Call) -> None:
        for i in (1, 0):
            mask, other = call.argument(i, "other"), call.argument(1 - i, "input")
            if not _plain(mask) or not _plain(other) or mask.dim() == 0 or mask.numel() < 2:
                continue
            note = self._note(mask)
            if note is None or note.carries or note.param >= 0 or mask.shape[:1] != call.result.shape[:1]:
                continue
            with Quiet():
                ones, zeros = mask == 1, mask == 0
                single = (ones.sum(-1) == 1).all() & (mask.shape[-1] > 1 < mask.dim())
                seen = torch.stack([ones.float().mean(), (ones | zeros).all().float(), single.float()])
            self._masks.append((call.op, note.vid, seen))
            return

    def _loss(self, call: Call, early: bool) -> None:
        place = _LAST.get(call.function.name, 1)
        scores, target = call.argument(0, "input"), call.argument(place, "target")
        note = self._note(target)
        if not _plain(target) or not _plain(scores) or note is None or note.carries:
            return
        padding = self._padding if early else []
        with Quiet():
            seen = _measured(call, scores.detach(), target.detach(), padding)
        self._looks.append((call.function.name, call.op, note.vid, target.numel(), seen))

    def _note(self, tensor: Any) -> Note | None:
        return self.recorder.values.get(tensor) if issubclass(type(tensor), torch.Tensor) else None

    def facts(self) -> dict[str, Any]:
        """Everything noted so far."""
        masks = [(op, vid, seen.tolist()) for op, vid, seen in self._masks]
        found = t.Targets(
            tuple(self._look(*one) for one in self._looks),
            tuple(t.MaskLook(op, vid, s[0], bool(s[2])) for op, vid, s in masks if s[1]),
            tuple(t.Divisor(op, float(number)) for op, number in self._divisors),
            tuple(dict.fromkeys(stack for stack, lost in self._casts if bool(lost))),
        )
        return {"targets": found}

    def _look(self, name: str, op: int, vid: int, count: int, seen: torch.Tensor) -> t.TargetLook:
        counted, low, high, padded, pad = seen.tolist()
        stack = self.recorder.kinds[self.recorder.ops[op].kind].stack
        told = pad == pad and padded > 0
        return t.TargetLook(
            name, stack, op, vid, count, counted, low, high, padded if told else 0.0, pad if told else None
        )


def _plain(tensor: Any) -> bool:
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_nested:
        return False
    if tensor.is_meta or tensor.is_complex() or not 0 < tensor.numel() <= _LARGE:
        return False
    return not (tensor.is_cuda and capturing())


def _measured(
    call: Call, scores: torch.Tensor, target: torch.Tensor, known: list[torch.Tensor]
) -> torch.Tensor:
    """How many targets count, their range, how many of those that count are padding, and what stands there."""
    whole = call.function.name in _CLASSES and not target.is_floating_point()
    counts = torch.ones_like(target, dtype=torch.bool)
    if whole:
        counts = target != call.argument(4, "ignore_index", -100)
        weight = call.argument(2, "weight")
        if _plain(weight) and weight.dim() == 1:
            counts = counts & (weight.detach()[target.clamp(0, len(weight) - 1)] != 0)
    numbers = [counts.sum(), *torch.aminmax(target.to(torch.float32))]
    padded = [torch.full((), torch.nan, device=target.device)] * 2
    for padding in reversed(known):
        here = meets(padding, target) if padding.device == target.device else None
        if here is not None:
            padded = _padded(here, scores, target, counts)
            break
    exact = torch.float32 if target.device.type == "mps" else torch.float64
    return torch.stack([n.to(exact) for n in (*numbers, *padded)])


def _padded(
    here: torch.Tensor, scores: torch.Tensor, target: torch.Tensor, counts: torch.Tensor
) -> list[torch.Tensor]:
    """How many targets count though they are padding, and the one number that all of these are. None do where they differ,
    or where the scores there are zeros (a mask was multiplied in)."""
    own = target.to(torch.float32)
    low, high = own.masked_fill(~here, torch.inf).min(), own.masked_fill(~here, -torch.inf).max()
    if scores.shape == target.shape:
        alive = (scores.masked_fill(~here, 0) != 0).any()
    elif scores.dim() == target.dim() + 1:
        alive = ((scores != 0).any(1) & here).any()
    else:
        alive = torch.ones_like(low, dtype=torch.bool)
    return [(here & counts).sum() * (alive & (low == high)), low]
