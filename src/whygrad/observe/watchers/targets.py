"""The targets of loss functions, masks that are multiplied in, and the numbers that sums are divided by.

Small tensors stay on their device until the trace is written; the padding of a batch is forgotten with its backward.
"""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.padding import of_features, of_ids
from whygrad.observe.quiet import Quiet
from whygrad.observe.target_looks import CLASSES, measured, plain
from whygrad.observe.values import Note
from whygrad.observe.watcher import Watcher

_LOSSES = frozenset({*CLASSES, "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
          "smooth_l1_loss", "huber_loss", "soft_margin_loss", "hinge_embedding_loss"})  # fmt: skip
_LAST = {"margin_ranking_loss": 2, "cosine_embedding_loss": 2}  #: the target is the third argument
_SEQUENCES = frozenset({"embedding", "lstm", "gru", "rnn_tanh", "linear", "conv1d"})
_QUOTIENTS = frozenset({"div", "truediv", "divide", "true_divide", "__truediv__", "__itruediv__", "div_"})
_PRODUCTS = frozenset({"mul", "multiply", "mul_", "__imul__"})
_CASTS = frozenset({"long", "int", "to", "type", "floor_divide", "__floordiv__", "floordiv"})
_FLOORS = frozenset({"floor_divide", "__floordiv__", "floordiv"})  #: whole numbers, kept as floats
_PASSES = 3  #: backward passes during which padding and masks are looked for
_LOOKS = 400  #: targets, and divisors, looked at in all
_MASKS = 40
_PADDED = 8  #: batches of sequences remembered in a pass


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
        data: Any = call.args[0] if call.args else None
        note = self._note(data)
        if not plain(data) or (note is not None and (note.carries or note.param >= 0)):
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
        if not plain(by) or by.numel() != 1 or len(self._divisors) >= _LOOKS:
            return
        note = self._note(by)
        if note is None or not (note.carries or note.param >= 0):
            with Quiet():
                self._divisors.append((call.op, by.detach().reshape(()).clone()))

    def _cast(self, call: Call) -> None:
        given, made = call.argument(0, "input"), call.result
        if not plain(given) or not plain(made) or not given.is_floating_point():
            return
        if made.is_floating_point() and call.function.name not in _FLOORS:
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
            if not plain(mask) or not plain(other) or mask.dim() == 0 or mask.numel() < 2:
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
        if not plain(target) or not plain(scores) or note is None or note.carries:
            return
        padding = self._padding if early else []
        with Quiet():
            seen = measured(call, scores.detach(), target.detach(), padding)
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
