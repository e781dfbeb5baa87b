"""Holds the batch of a loop that reads it by hand, at the places where it meets what the parameters made.

Whatever the loop does to get its batch (slices, random indices, NumPy, lists), sooner or later tensors that carry no
parameter enter an operation together with one that does: the input enters the first layer, the target the loss. Over
the first passes these operands are compared. If the same number of them, with the same shapes, enters at every pass,
each one that changed is from then on replaced by what it was at first. All of them or none: half a batch would pair
inputs with the wrong targets.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch

from whygrad.observe.guard import guarded
from whygrad.observe.operands import Operand, fits, forms, moved, swapped
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in, unfollowed

_PASSES, _STEPS = 6, 3  #: how long the operands are compared
_MOST = 40  #: passes after which a decision is made without that many steps
_TRIES = 2
_BYTES = 2**29  #: how much of the first pass is kept
_DEPTH = 4

Key = tuple[int, str, bool]  #: user's stack, name of the function, whether autograd was on
Rows = list[
    dict[int, torch.Tensor]
]  #: for each call of a pass: position of an operand -> what it was at first


class Holding:
    """``state`` is ``looking``, then ``loader`` (nothing need be held: DataLoaders feed the loop), ``same`` (every pass
    reads the same anyway), ``held``, or ``changing`` (for the reason ``why``)."""

    def __init__(self, recorder: Recorder, optimizers: Optimizers, fed: Callable[[], bool]) -> None:
        self.recorder, self.optimizers = recorder, optimizers
        self.problems = recorder.problems
        self.state, self.why = "looking", ""
        self.changing = -1  #: where an operand was first seen to change
        self.reference = self.decided = 0  #: the pass whose batch is held, and the one after which it is
        self.pure = True  #: whether the present pass has had the whole batch so far
        self._fed = fed
        self._passes = self._tries = 0
        self._names: set[str] = set()
        self._rows: dict[Key, Rows] = {}
        self._counts: dict[Key, int] = {}
        self._inputs: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._count = 0
        self._begin()

    def _begin(self) -> None:
        self.reference, self.changing = self._passes, -1
        self._feeds = self._bytes = 0
        self._steps = -1
        self._used: set[int] = set()
        self._intervals: list[dict[Key, list[list[Operand]]]] = [{}]

    @guarded("the batch of a pass", None)
    def given(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """Arguments to call with instead, None for the script's own."""
        if self.state == "looking":
            if not self.recorder.light and not unfollowed(self.problems):
                with torch._C.DisableTorchFunction():
                    self._look(name, [args, kwargs])
        elif self.state == "held" and name in self._names:
            return self._replaced(name, args, kwargs)
        return None

    # -- looking -------------------------------------------------------------------------------------

    def _look(self, name: str, call: list[Any]) -> None:
        tensors = tensors_in(call, _DEPTH)
        carried = [self._carries(x) for x in tensors]
        key = (self.recorder.stacks.here(), name, torch.is_grad_enabled())
        operands: list[Operand] = []
        self._intervals[-1].setdefault(key, []).append(operands)  # empty ones too: the calls are counted
        if not any(carried):
            return
        inputs = [self._input(x) if c else -1 for x, c in zip(tensors, carried, strict=True)]
        first = not any(key in known for known in self._intervals[:-1]) and not self._fed()
        with Quiet():
            for position, tensor in enumerate(tensors):
                if (carried[position] and inputs[position] < 0) or tensor.is_meta or tensor.numel() == 0:
                    continue
                self._bytes += tensor.numel() * tensor.element_size() if first else 0
                keep = first and self._bytes < _BYTES
                operands.append(Operand(position, tensor, keep, inputs[position]))

    def _carries(self, tensor: torch.Tensor) -> bool:
        """Whether a parameter (or buffer, or input that requires grad) lies in its history."""
        note = self.recorder.values.get(tensor)
        if note is None:
            return tensor.requires_grad or isinstance(tensor, torch.nn.Parameter)
        if note.param >= 0:
            self._used.add(note.param)
        return note.carries or tensor.requires_grad

    def _input(self, tensor: torch.Tensor) -> int:
        """A number for a leaf that requires grad and is nobody's parameter, such as an input; -1 for all else. One that
        is made anew for every pass has a new number every time."""
        if not (tensor.requires_grad and tensor.is_leaf) or isinstance(tensor, torch.nn.Parameter):
            return -1
        entry = self.recorder.params.find(tensor)
        if entry is not None and (entry.module is not None or self._stepped(entry.index)):
            return -1
        ref, number = self._inputs.get(id(tensor), (None, -1))
        if ref is None or ref() is not tensor:
            number = self._count = self._count + 1
            self._inputs[id(tensor)] = (weakref.ref(tensor), number)
        return number

    def _stepped(self, index: int) -> bool:
        """Whether an optimizer holds this parameter."""
        return any(index in group.params for known in self.optimizers.known for group in known.groups)

    @guarded("the batches of the first passes", None)
    def end_of_pass(self) -> None:
        """A backward pass is over."""
        self._passes += 1
        self._counts.clear()
        self.pure = True
        if self.state != "looking":
            return
        self._feeds += self._fed()
        self._steps = self.recorder.step if self._steps < 0 else self._steps
        looked = len(self._intervals)
        enough = looked >= _PASSES and self.recorder.step - self._steps >= _STEPS
        if enough or looked >= _MOST or self.recorder.light:
            self.decide()
        else:
            self._intervals.append({})

    def decide(self, last: bool = False) -> None:
        """Say what became of the batch, from the passes seen so far; ``last``: there will be no others."""
        if self.state != "looking":
            return
        changed, why = self._compared()
        self.decided = self._passes - 1
        if 2 * self._feeds >= len(self._intervals) or (self._feeds and not changed and not why):
            self.state = "loader"
        elif why and self._tries + 1 < _TRIES and not last and not self.recorder.light:
            self._tries += 1  # what happens once, before the first pass, should not spoil it
            self._begin()
            return
        elif why:
            self.state, self.why = "changing", why
        elif changed:
            self.state = "held"
            self._rows, self._names = changed, {name for _, name, _ in changed}
        else:
            self.state = "same"
        self._intervals = []

    def _compared(self) -> tuple[dict[Key, Rows], str]:
        """The operands that changed, with what they were at first; and why they can't be held."""
        changed: dict[Key, Rows] = {}
        why = "" if len(self._intervals) > 1 else "there was a single backward pass"
        for key in dict.fromkeys(k for interval in self._intervals for k in interval):
            rows = [interval[key] for interval in self._intervals if key in interval]
            if not any(operands for row in rows for operands in row):
                continue
            alike = [row for row in rows[1:] if forms(row) == forms(rows[0])]
            if 2 * len(alike) < len(rows) - 1:
                why = why or "the number or the shapes of the tensors that enter differ from pass to pass"
            places = moved(rows[0], alike)
            if any(places):
                self.changing = key[0] if self.changing < 0 else self.changing
                changed[key] = [{p: x for p, x in row.items() if x is not None} for row in places]
                if any(x is None for row in places for x in row.values()):
                    why = why or "some of what enters is new at every pass and can't be kept"
        if changed and not self._all_seen():
            why = why or "a part of the model runs where torch's function modes do not see it"
        return changed, why

    def _all_seen(self) -> bool:
        """Whether every parameter that backward reached was seen to be used."""
        passes = self.recorder.backwards[-len(self._intervals) :]
        return {p for backward in passes for p in backward.reached} <= self._used

    # -- holding -------------------------------------------------------------------------------------

    def _replaced(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        key = (self.recorder.stacks.here(), name, torch.is_grad_enabled())
        rows = self._rows.get(key)
        if rows is None:
            return None
        number = self._counts[key] = self._counts.get(key, 0) + 1
        row = rows[number - 1] if number <= len(rows) else None
        if row == {}:
            return None
        with torch._C.DisableTorchFunction():
            tensors = tensors_in([args, kwargs], _DEPTH)
            if row is None or not all(p < len(tensors) and fits(tensors[p], x) for p, x in row.items()):
                self.pure = False  # a smaller last batch, say: this pass goes by with its own
                return None
        swap = {id(tensors[p]): x for p, x in row.items()}
        return swapped(args, swap, _DEPTH), swapped(kwargs, swap, _DEPTH)

    def give_up(self, error: Exception) -> None:
        """A call failed with what was held (or would have failed anyway): the script goes on with its own."""
        self.state, self._rows = "changing", {}
        self.why = f"with the batch held, a call failed ({type(error).__name__})"
