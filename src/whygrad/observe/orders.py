"""In which order the rows of data are: every selection of rows by an index is noted and handed on to what is made of it.

Data without a history of such selections are in their own order. What can't be followed (arithmetic that mixes rows) has
no known order.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.digests import measurable, row_digests
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.values import Values

_MOST = 400  #: selections noted

#: Functions that leave each row where it is.
KEEP = frozenset({
    "float", "double", "half", "bfloat16", "long", "int", "to", "type", "cuda", "cpu", "clone", "contiguous", "detach",
    "add", "__add__", "__radd__", "sub", "__sub__", "__rsub__", "mul", "__mul__", "__rmul__", "div", "__truediv__",
    "__rtruediv__", "true_divide", "normalize", "layer_norm", "one_hot", "clamp", "sqrt", "log", "log1p", "exp", "pow",
    "__pow__", "abs", "neg", "tanh", "sigmoid", "where", "eq", "__eq__", "ne", "__ne__", "gt", "__gt__", "lt", "__lt__",
    "ge", "__ge__", "le", "__le__", "round", "pad", "cat", "stack", "hstack", "column_stack", "concat", "dropout", "requires_grad_",
    "interpolate", "lerp", "logical_and", "bool", "nan_to_num", "tensor", "as_tensor", "asarray", "from_numpy",
})  # fmt: skip
SELECT = frozenset({"__getitem__", "index_select", "sort", "take_along_dim", "__setitem__", "copy_"})

Orders = frozenset[tuple[int, ...]]
OWN: Orders = frozenset({()})


class Known:
    """What is known of one memory. ``since``: the tick at which its values were there in their own order."""

    __slots__ = ("holder", "orders", "since")

    def __init__(self, holder: weakref.ref[torch.Tensor], orders: Orders, since: int) -> None:
        self.holder, self.orders, self.since = holder, orders, since


class RowOrders:
    """Follows them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.found: list[t.Order] = []
        self._by_key: dict[Any, int] = {}
        self._memory: dict[int, Known] = {}

    def of(self, tensor: torch.Tensor) -> tuple[Orders, int]:
        """Orders of a tensor's rows and the tick since when its values exist (0: before anything was seen)."""
        known = self._memory.get(Values.pointer(tensor)) if self._memory else None
        if known is not None and known.holder() is not None:
            return known.orders, known.since
        note = self.recorder.values.get(_holder(tensor)) or self.recorder.values.get(tensor)
        return OWN, 0 if note is None else note.written

    def put(self, tensor: torch.Tensor, orders: Orders, since: int) -> None:
        """Note what is known of a tensor's memory."""
        pointer = Values.pointer(tensor)
        if pointer:
            self._memory[pointer] = Known(weakref.ref(_holder(tensor)), orders, since)

    def number(self, stack: int, rows: int, index: torch.Tensor | tuple[int, ...], loader: int = -1) -> int:
        """The number of a selection; equal indices are the same selection."""
        if isinstance(index, tuple):
            digest, whole, taken = hash(index), len(index) == rows == len(set(index)), len(index)
        else:
            digest, taken = hash(tuple(row_digests(index).tolist())), index.shape[0]
            whole = taken == rows and bool(
                (index.sort().values == torch.arange(rows, device=index.device)).all()
            )
        key = (digest, rows)
        if key not in self._by_key:
            self._by_key[key] = len(self.found)
            self.recorder.tick += 1  # what is made from here on can be told from what was there
            self.found.append(t.Order(stack, rows, taken, len(self.found), whole, self.recorder.tick, loader))
        return self._by_key[key]

    def called(self, call: Call) -> None:
        """A function that selects or keeps rows has returned."""
        if call.op >= 0 or len(self.found) >= _MOST:
            return
        name = call.function.name
        if name in SELECT:
            self._selected(call, name)
        elif self._memory or name == "stack":
            self._kept(call)

    def _selected(self, call: Call, name: str) -> None:
        source = call.args[0] if call.args else None
        if not isinstance(source, torch.Tensor):
            return
        if name in {"copy_", "__setitem__"}:
            self._written(call, source, call.args[-1], name)
            return
        index = call.argument(1, "index")
        if name == "index_select":
            if index not in (0, -source.dim()):
                return
            index = call.argument(2, "index")
        if name == "sort":
            if type(call.result) is not tuple and not hasattr(call.result, "indices"):
                return
            index = call.result[1] if source.dim() == 1 else None
        result = call.result[0] if name == "sort" else call.result
        if type(index) is tuple and index and isinstance(index[0], torch.Tensor):
            if any(not (type(i) is slice and i == slice(None)) for i in index[1:]):
                return
            index = index[0]
        if type(index) is list and index and all(type(i) is int for i in index[:_MOST]):
            index = torch.tensor(index)
        if isinstance(index, torch.Tensor) and isinstance(result, torch.Tensor):
            self._by_index(source, index, result)

    def _by_index(self, source: torch.Tensor, index: torch.Tensor, result: torch.Tensor) -> None:
        simple = index.dim() == 1 and not index.is_floating_point() and source.dim() and measurable(index)
        if not simple or index.dtype is torch.bool or index.shape[0] < 2 or source.is_meta:
            return
        orders, since = self.of(source)
        number = self.number(self.recorder.stacks.here(), source.shape[0], index)
        order = self.found[number]
        chosen = order.taken <= order.rows and self._random(index)
        if not order.whole and not chosen and len(index) > len(index.unique()):
            return  # looked up in a table: no order of rows
        self.put(result, frozenset({(*o, number) for o in orders}), since)

    def _random(self, index: torch.Tensor) -> bool:
        note = self.recorder.values.get(index)
        return note is not None and bool(note.origin & t.RANDOM)

    def _written(self, call: Call, target: torch.Tensor, value: Any, name: str) -> None:
        whole = name == "copy_" or call.args[1] in (slice(None), ...)
        if whole and isinstance(value, torch.Tensor) and value.shape == target.shape:
            orders, since = self.of(value)
            if orders != OWN or self.of(target)[0] != OWN:
                self.put(target, orders, since)

    def _kept(self, call: Call) -> None:
        results = [call.result] if isinstance(call.result, torch.Tensor) else []
        if not results or results[0].dim() == 0:
            return
        if call.function.name == "stack":
            self._joined(call, results[0])
            return
        rows = results[0].shape[0]
        parts = [
            p for p in tensors_in(call.args) if p.dim() and p.shape[0] == rows and (p.dim() > 1 or rows > 1)
        ]
        if call.function.name in ("cat", "concat") and call.argument(1, "dim", 0) == 0:
            parts = [p for p in tensors_in(call.args) if p.dim()]
        known = [self.of(p) for p in parts]
        if any(orders != OWN for orders, _ in known):
            union: Orders = frozenset().union(*[orders for orders, _ in known])
            self.put(results[0], union, max(since for _, since in known))

    def _joined(self, call: Call, result: torch.Tensor) -> None:
        """Rows of one tensor, taken one by one and stacked: they keep the order of that tensor."""
        parts = call.args[0] if call.args else ()
        if (
            type(parts) in (list, tuple)
            and parts
            and isinstance(parts[0], torch.Tensor)
            and parts[0]._is_view()
        ):
            pointer = Values.pointer(parts[0])
            if all(isinstance(p, torch.Tensor) and Values.pointer(p) == pointer for p in parts):
                self.put(result, *self.of(parts[0]))


def _holder(tensor: torch.Tensor) -> torch.Tensor:
    try:
        return tensor._base if tensor._is_view() and tensor._base is not None else tensor
    except RuntimeError:
        return tensor
