"""Which axis of the data counts samples, and how data is reshaped before it meets a parameter."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch.utils.data import DistributedSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler
from torch.utils.data._utils.collate import default_collate
from torch.utils.data.dataloader import _BaseDataLoaderIter

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import tensors_in
from whygrad.observe.values import Note
from whygrad.observe.watcher import Watcher

_RESHAPES = {"view", "reshape", "view_as", "reshape_as", "flatten", "unflatten"}
_SAME = {
    "to",
    "float",
    "double",
    "half",
    "bfloat16",
    "cuda",
    "cpu",
    "contiguous",
    "clone",
    "long",
    "type",
    "detach",
}
#: Element by element with a number (or another tensor that is broadcast): the layout stays.
_ARITHMETIC = {
    "add", "sub", "mul", "div", "true_divide", "__add__", "__radd__", "__sub__", "__mul__", "__rmul__", "__truediv__",
    "clamp", "add_", "sub_", "mul_", "div_", "__isub__", "__itruediv__", "__imul__", "__iadd__", "normalize",
}  # fmt: skip
_PARTS = {"split", "chunk", "unbind", "tensor_split"}
_JOINS = {"stack", "cat"}
_TURNS = {"transpose", "swapaxes", "permute"}
_PICKS = {"__getitem__", "index_select"}
_RANDOM = (RandomSampler, SubsetRandomSampler, WeightedRandomSampler, DistributedSampler)
_MANY = 4096
_ROWS = 512  #: row numbers looked at


class _Known:
    """What is known of one tensor of data."""

    __slots__ = ("axis", "before", "how", "note", "reshape")

    def __init__(
        self,
        note: Note,
        axis: int = -1,
        how: str = "",
        reshape: int = -1,
        before: tuple[int, ...] = (),
    ) -> None:
        self.note, self.axis, self.how, self.reshape = note, axis, how, reshape
        self.before = before  #: its shape before it was flattened, sample by sample


class Watch(Watcher):
    """Follows data through the few operations that are usual before the first layer."""

    names = frozenset(_RESHAPES | _SAME | _TURNS | _PICKS | _ARITHMETIC | _PARTS | _JOINS | {"unsqueeze"})

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._known: dict[int, _Known] = {}
        self._reshapes: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []

    def install(self, patches: Patches) -> None:
        """Hear what a loader hands out, and where the layers that torch copies were made."""
        patches.around(_BaseDataLoaderIter, "__next__", after=self._loaded)
        patches.around(torch.nn.TransformerEncoder, "__init__", after=self._cloned)
        patches.around(torch.nn.TransformerDecoder, "__init__", after=self._cloned)

    @guarded("the copies of a layer", None)
    def _cloned(self, token: Any, result: Any, stack: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        pattern = args[0] if args else kwargs.get("encoder_layer", kwargs.get("decoder_layer"))
        layers = stack._modules.get("layers")
        if not isinstance(pattern, torch.nn.Module) or layers is None:
            return
        modules = self.seen.modules
        made = [modules.where_made(one) for one in _within(pattern)]
        for layer in layers._modules.values():
            copies = _within(layer) if layer is not None else []
            if len(copies) == len(made):
                for copy, stack_ in zip(copies, made, strict=True):
                    if stack_ >= 0 and modules.where_made(copy) < 0:
                        modules.made_at(copy, stack_)

    @guarded("a batch of a loader", None)
    def _loaded(self, token: Any, result: Any, loader: Any) -> None:
        recorder = self.recorder
        if recorder.light or recorder.own.paused or len(self._known) > _MANY:
            return
        sampler = getattr(getattr(loader, "_index_sampler", None), "sampler", None)
        stacks = getattr(loader, "_collate_fn", None) is default_collate and loader._auto_collation
        if not stacks or type(sampler) not in _RANDOM:
            return
        with Quiet():
            for tensor in tensors_in([result]):
                if type(tensor) is torch.Tensor and tensor.dim() > 1:
                    note = recorder.note_of(tensor)
                    old = self._known.get(id(note))
                    self._know(_Known(note, 0, "loader", old.reshape if old is not None else -1))

    def _know(self, known: _Known) -> None:
        self._known[id(known.note)] = known

    def called(self, call: Call) -> None:
        """A change of shape, place or type of data, or rows drawn from it."""
        if call.op >= 0 or not call.args or not call.notes or len(self._known) > _MANY:
            return
        given, result, name = call.args[0], call.result, call.function.name
        if name in _PARTS or name in _JOINS:
            self._apart_or_joined(call)
            return
        if type(given) is not torch.Tensor or type(result) is not torch.Tensor or result is given:
            return
        note = self.recorder.values.get(result)
        old = self._known.get(id(call.notes[0]))
        if note is None or call.notes[0].param >= 0:
            return
        if name in _PICKS:
            self._picked(call, note)
        elif name in _RESHAPES:
            self._reshaped(call, note)
        elif old is not None and (name in _SAME or _deeper(call)):
            self._know(_Known(note, old.axis, old.how, old.reshape, old.before if name in _SAME else ()))
        elif old is not None and name in _ARITHMETIC and note.shape == old.note.shape:
            self._know(_Known(note, old.axis, old.how, old.reshape, old.before))
        elif old is not None and name in _TURNS:
            self._know(_Known(note, _after_turn(call, old.axis), old.how, old.reshape))

    def _picked(self, call: Call, note: Note) -> None:
        """``data[rows]`` with rows in no order: time is never shuffled."""
        rows = call.args[1] if len(call.args) > 1 else None
        old = self._known.get(id(call.notes[0]))
        if old is not None and old.reshape >= 0 and _whole_rows(call.args[0].dim(), len(note.shape), rows):
            self._know(_Known(note, reshape=old.reshape))
        if call.function.name == "index_select":
            rows = call.args[2] if len(call.args) > 2 and call.args[1] == 0 else None
        if len(note.shape) > 1 and call.args[0].dim() == len(note.shape) and _shuffled(rows):
            self._know(_Known(note, 0, "index"))

    def _apart_or_joined(self, call: Call) -> None:
        """Batches cut from the data, or samples put together: what was reshaped stays so."""
        results = call.result if type(call.result) in (tuple, list) else (call.result,)
        if call.argument(2 if call.function.name in ("split", "chunk") else 1, "dim", 0) != 0:
            return
        old = self._known.get(id(call.notes[0])) if call.notes else None
        if old is None or old.reshape < 0:
            return
        for result in results[:_ROWS]:
            note = self.recorder.values.get(result) if type(result) is torch.Tensor else None
            if note is not None and note.param < 0:
                self._know(_Known(note, reshape=old.reshape))

    def _reshaped(self, call: Call, note: Note) -> None:
        given, wanted = call.notes[0].shape, note.shape
        if given == wanted:
            return
        old = self._known.get(id(call.notes[0]))
        before = old.before if old is not None and old.before[:1] == wanted[:1] else ()
        if before == wanted:
            return  # as it was
        flattened = len(wanted) == 2 and len(given) > 2 and given[0] == wanted[0]
        given = before or given
        row = (self.recorder.stacks.here(), given, wanted)
        if row not in self._reshapes:
            self._reshapes.append(row)
        self._know(_Known(note, reshape=self._reshapes.index(row), before=given if flattened else ()))

    def facts(self) -> dict[str, Any]:
        """Only of what went into the model."""
        entered = [known for known in self._known.values() if known.note.vid >= 0]
        stacked = [t.Stacked(k.note.vid, k.axis, k.how) for k in entered if k.axis >= 0]
        rows = [t.Regrouped(*self._reshapes[k.reshape], k.note.vid) for k in entered if k.reshape >= 0]
        return {"stacked": tuple(stacked), "regrouped": tuple(rows)}


def _whole_rows(before: int, after: int, rows: Any) -> bool:
    """Whether an index takes samples as they are."""
    if type(rows) is int:
        return after == before - 1
    return after == before and type(rows) in (torch.Tensor, list, slice)


def _after_turn(call: Call, axis: int) -> int:
    """Where an axis is after a transpose or a permute; -1 if that is not clear."""
    rank = call.args[0].dim()
    given = [a for a in call.args[1:] if type(a) is int]
    if axis < 0 or call.kwargs:
        return -1
    if call.function.name == "permute":
        dims = given or [a for a in call.args[1] if type(a) is int]
        return [d % rank for d in dims].index(axis) if len(dims) == rank else -1
    if len(given) != 2:
        return -1
    a, b = given[0] % rank, given[1] % rank
    return b if axis == a else a if axis == b else axis


def _deeper(call: Call) -> bool:
    """Whether an axis was added behind all others."""
    return call.function.name == "unsqueeze" and call.argument(1, "dim") in (-1, call.args[0].dim())


def _shuffled(rows: Any) -> bool:
    """Whether a list of row numbers goes up and down."""
    if type(rows).__module__ == "numpy" and getattr(rows, "ndim", 0) == 1 and rows.dtype.kind == "i":
        rows = rows.tolist()[:_ROWS]
    elif type(rows) is torch.Tensor:
        if rows.dtype is not torch.int64 or rows.dim() != 1 or not rows.is_cpu:
            return False
        with Quiet():
            rows = rows[:_ROWS].tolist()
    elif type(rows) is not list or not all(type(row) is int for row in rows[:_ROWS]):
        return False
    steps = [after > before for before, after in itertools.pairwise(rows)]
    return len(steps) > 2 and 0.1 < sum(steps) / len(steps) < 0.9


def _within(module: torch.nn.Module) -> list[torch.nn.Module]:
    """A module and all below it, without a call of any method that a user may have overridden."""
    found = [module]
    for one in found:
        found += [child for child in one._modules.values() if child is not None]
    return found
