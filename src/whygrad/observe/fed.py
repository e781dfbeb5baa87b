"""Data that meet a parameter or are given to a loss: digests, classes, and the order of their rows."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe import digests
from whygrad.observe.call import Call
from whygrad.observe.columns import Columns
from whygrad.observe.dependence import Dependence
from whygrad.observe.digests import Known, Look
from whygrad.observe.orders import RowOrders
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.stats import capturing, several_ranks
from whygrad.observe.values import Note, Values

_FEDS = 600  #: looked at, at most
_PASSES = 40  #: backward passes in which inputs are looked at
INPUTS = frozenset({
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "bilinear", "embedding",
    "embedding_bag", "matmul", "__matmul__", "mm", "addmm", "einsum", "lstm", "gru", "rnn_tanh", "rnn_relu",
    "lstm_cell", "gru_cell", "batch_norm", "layer_norm", "multi_head_attention_forward", "mul", "__mul__", "__rmul__",
})  # fmt: skip
LOSSES = frozenset({
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "multi_margin_loss", "multilabel_margin_loss", "soft_margin_loss", "multilabel_soft_margin_loss", "cosine_similarity",
})  # fmt: skip
BY_HAND = frozenset({"sub", "__sub__", "__rsub__", "subtract", "gather"})
REPEATS = frozenset({"repeat", "repeat_interleave", "tile", "expand", "expand_as", "broadcast_to"})


class Feeds:
    """All of them. Nothing is looked at any more once it is ``over``."""

    def __init__(self, recorder: Recorder, known: Known, orders: RowOrders, found: Columns) -> None:
        self.recorder, self.known, self.orders, self.columns = recorder, known, orders, found
        self.over = False
        self.dependence = Dependence()
        self._feds: list[tuple[dict[str, Any], Look, bool]] = []
        self._made: dict[int, tuple[Note, int]] = {}
        self._repeated: dict[int, Note] = {}
        self._stores: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._column_of: dict[int, int] = {}
        self._times: dict[tuple[int, int], int] = {}

    def records(self) -> list[t.Fed]:
        """For the trace."""
        return [
            t.Fed(**facts, **_settled(look.settle(self.known)), rows=look.rows if across else ())
            for facts, look, across in self._feds
        ]

    def repeated(self, call: Call) -> None:
        """One row was repeated on purpose."""
        note = self.recorder.values.get(call.result) if isinstance(call.result, torch.Tensor) else None
        if note is not None and len(self._repeated) < _FEDS:
            self._repeated[id(note)] = note

    def took(self, call: Call) -> None:
        """A recorded operation has taken something."""
        name = call.function.name
        if len(self._feds) >= _FEDS or self.over:
            return
        if name in INPUTS:
            self._take("input", call, tensors_in(call.args[:3], 1), self._leaves(call))
        elif name in LOSSES:
            if not _last(call.result):
                return
            self._take("target", call, tensors_in([*call.args[1:2], *call.kwargs.values()], 1), None)
        elif name in BY_HAND:
            self._take("operand", call, tensors_in(call.args[:3], 1), None)

    def _leaves(self, call: Call) -> bool | None:
        """For arithmetic: only a plain parameter makes the other side an input."""
        if "mul" not in call.function.name or "mat" in call.function.name:
            return None
        return any(note.param >= 0 for note in call.notes)

    def _take(self, role: str, call: Call, given: list[torch.Tensor], fits: bool | None) -> None:
        if fits is False:
            return
        recorder = self.recorder
        backward = len(recorder.backwards)
        stack = recorder.kinds[recorder.ops[call.op].kind].stack
        times = self._times.get((stack, backward), 0)
        if times >= 2 or backward >= _PASSES or capturing():
            return
        for tensor in given:
            note = recorder.values.get(tensor)
            if note is None or note.carries or note.requires_grad or tensor.dim() == 0:
                continue
            self._times[stack, backward] = times + 1
            with Quiet():
                if digests.measurable(tensor):
                    self._feed(role, call, tensor, note, stack, backward)

    def _feed(
        self, role: str, call: Call, tensor: torch.Tensor, note: Note, stack: int, backward: int
    ) -> None:
        orders, since = self.orders.of(tensor)
        store, offset, column = self._place_of(tensor)
        look = Look(tensor, role != "input")
        self.dependence.take(role, tensor, backward)
        facts = {
            "role": role,
            "name": call.function.name,
            "stack": stack,
            "backward": backward,
            "shape": tuple(tensor.shape),
            "dtype": note.dtype,
            "created": note.created,
            "origin": note.origin,
            "orders": tuple(sorted(orders)),
            "since": since,
            "store": store,
            "offset": offset,
            "column": column,
            "repeated": id(note) in self._repeated or tensor.stride(0) == 0,
            "made": self._made.setdefault(id(note), (note, len(self._made)))[1],
        }
        self._feds.append((facts, look, several_ranks()))

    def _place_of(self, tensor: torch.Tensor) -> tuple[int, int, int]:
        """Memory, first row in it, and a look at all of it where it is a column of targets."""
        pointer = Values.pointer(tensor)
        if not pointer:
            return -1, 0, -1
        base = tensor._base if tensor._is_view() and tensor._base is not None else tensor
        entry = self._stores.get(pointer)
        if entry is None or entry[0]() is None:
            entry = self._stores[pointer] = (weakref.ref(base), len(self._stores))
            count = tensor.untyped_storage().nbytes() // tensor.element_size()
            if tensor.numel() == tensor.shape[0] < count <= 10**6 and tensor.is_cpu and tensor.stride(0) == 1:
                whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (count,), (1,))
                self._column_of[entry[1]] = self.columns.add(whole)
        width = max(1, tensor.numel() // tensor.shape[0])
        return entry[1], tensor.storage_offset() // width, self._column_of.get(entry[1], -1)


def _last(result: Any) -> bool:
    return isinstance(result, torch.Tensor) and result.requires_grad


def _settled(look: Look) -> dict[str, Any]:
    return {
        "content": look.content,
        "distinct": look.distinct,
        "counts": look.counts,
        "changes": look.changes,
        "rising": look.rising,
        "mean": look.mean,
        "spread": look.spread,
    }
