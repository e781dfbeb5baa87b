"""What enters a model: the scale of the data that meets a parameter, and where it was made."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import tensors_in
from whygrad.observe.stats import capturing, numbers, plain
from whygrad.observe.watcher import Watcher

_MEETS = {
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "matmul",
    "__matmul__", "mm", "addmm", "bmm", "mv", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
    "rnn_tanh_cell", "rnn_relu_cell", "__mul__", "__rmul__", "mul", "einsum", "bilinear",
}  # fmt: skip
_CONVERTS = {"float", "to", "type", "double", "half", "bfloat16", "__truediv__", "div", "type_as"}
_MAKES = {
    "rand", "randn", "randint", "arange", "linspace", "tensor", "as_tensor", "from_numpy", "cat", "stack", "normal",
    "uniform_", "normal_", "__add__", "__pow__", "pow", "exp", "clamp", "__imul__", "__radd__",
}  # fmt: skip
_LOOKS = 2  #: at each place
_MOST = 2**24  #: elements of data that is looked at
_PLACES = 200  #: places where data is made that are remembered
_PEAKS = 8  #: looks at each of them
_LIKE = 0.25  #: what one batch (or sample) may have of the greatest number of another
_FEATURES = 4096
_GREAT = 5.0  #: numbers that are worth remembering where they were made
_IMAGES = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


class _Made:
    """A place where data is made: the storage of the last, and the greatest number of the first few."""

    def __init__(self, whole: bool) -> None:
        self.whole, self.pointer = whole, 0
        self.peaks: list[torch.Tensor] = []


class Watch(Watcher):
    """Looks at the first calls of each place."""

    names = frozenset(_MEETS | _CONVERTS | _MAKES)

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._looks: dict[tuple[str, int, int], int] = {}
        self._made: dict[int, _Made] = {}  # by the stack
        self._entered: list[tuple[int, int, list[torch.Tensor]]] = []
        self._read: tuple[t.Entrance, ...] = ()

    def called(self, call: Call) -> None:
        """A place where data meets a parameter, or data in the making."""
        name = call.function.name
        if call.op >= 0:
            if name in _MEETS:
                self._meets(call)
        elif name in _CONVERTS or name in _MAKES or name in _MEETS:
            self._made_data(call)

    def _made_data(self, call: Call) -> None:
        """Data in the making: how great its numbers are, at the first few calls of each place."""
        result = call.result
        if not isinstance(result, torch.Tensor) or not result.is_floating_point() or result.requires_grad:
            return
        given = call.args[0] if call.args and call.function.name in _CONVERTS else None
        whole = isinstance(given, torch.Tensor) and not given.is_floating_point()
        if not 2 <= result.numel() <= _MOST or (self.recorder.backwards and not whole) or capturing():
            return
        stack, pointer = self.recorder.stacks.here(), self.recorder.values.pointer(result)
        known = self._made.get(stack)
        if known is None and len(self._made) < _PLACES:
            known = self._made[stack] = _Made(whole)
        if known is not None:
            known.pointer = pointer
            if len(known.peaks) < _PEAKS:
                with Quiet():
                    data = plain(result)
                    if data is not None:
                        known.peaks.append(data.abs().max().float())

    def _meets(self, call: Call) -> None:
        op = self.recorder.ops[call.op]
        stack = self.recorder.stacks.stacks[self.recorder.kinds[op.kind].stack]
        place = (call.function.name, stack[0] if stack else -1, op.module)  # whoever called that line
        looks = self._looks.get(place, 0)
        if looks >= _LOOKS or not torch.is_grad_enabled():
            return
        self._looks[place] = looks + 1
        data = self._data(call)
        if data is None or data.numel() > _MOST or capturing():
            return
        with Quiet():
            numbers_ = plain(data)
            if numbers_ is None or numbers_.numel() < 2:
                return
            self._entered.append((call.op, self.recorder.values.pointer(data), _measure(numbers_, call)))

    def _data(self, call: Call) -> torch.Tensor | None:
        """The tensor beside a parameter that no parameter lies behind."""
        given = tensors_in(call.args)
        if len(given) < 2 or not any(note.carries for note in call.notes):
            return None
        for tensor, note in zip(given, call.notes, strict=False):
            if not note.carries and tensor.is_floating_point() and not tensor.requires_grad:
                return tensor
        return None

    def window_ends(self) -> None:
        """Read the numbers, now that nothing waits for it any more."""
        with Quiet():
            flat = numbers([n for _, _, measured in self._entered for n in measured])
            made = [(stack, peak) for stack, one in self._made.items() for peak in one.peaks]
            greatest: dict[int, float] = {}
            for (stack, _), peak in zip(made, numbers([p for _, p in made]), strict=True):
                greatest[stack] = max(greatest.get(stack, 0.0), float(peak))
        found = []
        for i, (op, pointer, _) in enumerate(self._entered):
            low, high, mean, rms, narrow, wide, whole = map(float, flat[7 * i : 7 * i + 7])
            places = self._makers(pointer, max(abs(low), abs(high)), greatest)
            found.append(t.Entrance(op, low, high, mean, rms, narrow, wide, whole > 0, places))
        self._read = tuple(found)

    def _makers(self, pointer: int, peak: float, peaks: dict[int, float]) -> tuple[int, ...]:
        """The places that may have made numbers as great as these: the conversion of integers, or the first tensor."""
        if not _GREAT <= peak < float("inf"):
            return ()
        like = [s for s in self._made if _LIKE * peak <= peaks.get(s, 0.0) <= peak / _LIKE]
        own = [s for s in like if self._made[s].whole and self._made[s].pointer == pointer]
        whole = [s for s in like if self._made[s].whole]
        return tuple(dict.fromkeys([*own, *whole, *like]))[:3]

    def facts(self) -> dict[str, Any]:
        """What entered where."""
        return {"entrances": self._read}


def _measure(data: torch.Tensor, call: Call) -> list[torch.Tensor]:
    """Range, mean, root mean square, that of the narrowest and of the widest feature, whether all are integers."""
    data = data.float()
    low, high = torch.aminmax(data)
    features = data
    if call.function.name in _IMAGES and data.ndim > 2:
        features = data.movedim(1, -1)
    wide = features.reshape(-1, features.shape[-1] if data.ndim > 1 else 1)
    each = (
        wide.square().mean(0).sqrt() if wide.shape[1] <= _FEATURES else data.square().mean().sqrt().reshape(1)
    )
    whole = (data == data.round()).all()
    return [low, high, data.mean(), data.square().mean().sqrt(), each.min(), each.max(), whole.float()]
