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
_TURNS = {"transpose", "swapaxes", "permute"}
_PICKS = {"__getitem__", "index_select"}
_RANDOM = (RandomSampler, SubsetRandomSampler, WeightedRandomSampler, DistributedSampler)
_MANY = 4096
_ROWS = 512  #: row numbers looked at


class _Known:
    """What is known of one tensor of data."""

    __slots__ = ("axis", "how", "note", "reshape")

    def __init__(self, note: Note, axis: int = -1, how: str = "", reshape: int = -1) -> None:
        self.note, self.axis, self.how, self.reshape = note, axis, how, reshape


class Watch(Watcher):
    """Follows data through the few operations that are usual before the first layer."""

    names = frozenset(_RESHAPES | _SAME | _TURNS | _PICKS | {"unsqueeze"})

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
                    self._know(_Known(recorder.note_of(tensor), 0, "loader"))

    def _know(self, known: _Known) -> None:
        self._known[id(known.note)] = known

    def called(self, call: Call) -> None:
        """A change of shape, place or type of data, or rows drawn from it."""
        if call.op >= 0 or not call.args or not call.notes or len(self._known) > _MANY:
            return
        given, result, name = call.args[0], call.result, call.function.name
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
            self._know(_Known(note, old.axis, old.how, old.reshape))
        elif old is not None and name in _TURNS:
            self._know(_Known(note, _after_turn(call, old.axis), old.how, old.reshape))

    def _picked(self, call: Call, note: Note) -> None:
        """``data[rows]`` with rows in no order: time is never shuffled."""
        rows = call.args[1] if len(call.args) > 1 else None
        if call.function.name == "index_select":
            rows = call.args[2] if len(call.args) > 2 and call.args[1] == 0 else None
        if len(note.shape) > 1 and call.args[0].dim() == len(note.shape) and _shuffled(rows):
            self._know(_Known(note, 0, "index"))

    def _reshaped(self, call: Call, note: Note) -> None:
        given, wanted = call.notes[0].shape, note.shape
        if given == wanted:
            return
        row = (self.recorder.stacks.here(), given, wanted)
        if row not in self._reshapes:
            self._reshapes.append(row)
        self._know(_Known(note, reshape=self._reshapes.index(row)))

    def facts(self) -> dict[str, Any]:
        """Only of what went into the model."""
        entered = [known for known in self._known.values() if known.note.vid >= 0]
        stacked = [t.Stacked(k.note.vid, k.axis, k.how) for k in entered if k.axis >= 0]
        rows = [t.Regrouped(*self._reshapes[k.reshape], k.note.vid) for k in entered if k.reshape >= 0]
        return {"stacked": tuple(stacked), "regrouped": tuple(rows)}


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
