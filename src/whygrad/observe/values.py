"""Numbering tensors: which value is which, whether it carries a parameter, and where its numbers came from.

No tensor is kept alive: the table holds weak references and small notes. Two tensors that share a storage
are joined where one of them is written in place.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import torch
from torch.nn.parameter import is_lazy

from whygrad import trace as t

_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__
_IMPORTS = 6  #: places where Python numbers entered, kept for a value


class Note:
    """What is known of one live tensor.

    ``carries``: a parameter, buffer or other leaf lies in its history by value. ``vid`` is its number in the
    trace, -1 until it takes part in a recorded operation. ``grad_of`` is set on a parameter's gradient."""

    __slots__ = (
        "carries", "created", "dtype", "grad_of", "imports", "leaf", "numel", "op", "origin", "param", "range",
        "requires_grad", "shape", "vid", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.vid = -1
        self.carries = False
        self.origin = 0
        self.imports: tuple[int, ...] = ()
        self.created = -1
        self.param = -1
        self.op = -1
        self.grad_of = -1
        self.written = 0
        self.range: tuple[float, float] | None = None
        self.shape: tuple[int, ...] = ()
        self.dtype = ""
        self.numel = 0
        self.requires_grad = False
        self.leaf = True


class Values:
    """The table of live tensors, and the list of values that the trace keeps."""

    def __init__(self) -> None:
        self._notes: dict[int, tuple[weakref.ref[torch.Tensor], Note]] = {}
        self._writers: dict[int, tuple[weakref.ref[torch.Tensor], Note, int]] = {}
        self._arrays: dict[int, Note] = {}
        self._dtypes: dict[torch.dtype, str] = {}
        self.records: list[t.Value] = []

    def get(self, tensor: torch.Tensor) -> Note | None:
        """The note of a tensor already seen, None for a new one."""
        entry = self._notes.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            return entry[1]
        return None

    def living(self) -> list[tuple[torch.Tensor, Note]]:
        """All tensors with a note that still exist."""
        entries = list(self._notes.values())
        return [(tensor, note) for ref, note in entries if (tensor := ref()) is not None]

    def put(self, tensor: torch.Tensor, note: Note) -> Note:
        """Attach ``note`` to ``tensor`` until the tensor dies."""
        key = id(tensor)
        self._notes[key] = (weakref.ref(tensor, self._dropper(key)), note)
        return note

    def _dropper(self, key: int) -> Callable[[weakref.ref[torch.Tensor]], None]:
        notes = self._notes

        def drop(dead: weakref.ref[torch.Tensor]) -> None:
            entry = notes.get(key)
            if entry is not None and entry[0] is dead:
                del notes[key]

        return drop

    def describe(self, tensor: torch.Tensor, note: Note) -> None:
        """Copy the tensor's present shape, dtype and autograd state into its note."""
        dtype = tensor.dtype
        name = self._dtypes.get(dtype)
        if name is None:
            name = self._dtypes[dtype] = str(dtype).removeprefix("torch.")
        note.dtype = name
        note.shape = shape_of(tensor)
        note.requires_grad = tensor.requires_grad
        try:
            note.leaf = tensor.is_leaf
        except RuntimeError:
            note.leaf = (
                True  # a view made and written to under no_grad (nn.Embedding's padding_idx) refuses to tell
            )

    def number(self, note: Note) -> int:
        """The value id of a note, given on first use."""
        if note.vid < 0:
            note.vid = len(self.records)
            self.records.append(_record(note, note.op))
        return note.vid

    def renew(self, note: Note, op: int) -> int:
        """A new value id for a tensor that ``op`` made or wrote: the same tensor, another value."""
        note.op = op
        note.vid = len(self.records)
        self.records.append(_record(note, op))
        return note.vid

    # -- storages ------------------------------------------------------------------------------------

    @staticmethod
    def pointer(tensor: torch.Tensor) -> int:
        """The address of the tensor's storage, 0 where it has none (meta, sparse, fake, functorch wrappers)."""
        if type(tensor).__torch_dispatch__ is not _PLAIN_DISPATCH:
            return 0
        try:
            return tensor.untyped_storage().data_ptr()
        except Exception:
            return 0

    def wrote(self, tensor: torch.Tensor, note: Note, tick: int) -> None:
        """An in-place write to ``tensor`` left the value of ``note`` in its storage."""
        pointer = self.pointer(tensor)
        if pointer:
            self._writers[pointer] = (weakref.ref(_holder(tensor)), note, tick)

    def last_write(self, tensor: torch.Tensor) -> tuple[Note, int] | None:
        """The last in-place write to the storage of ``tensor`` by another tensor, with its tick."""
        if not self._writers:
            return None
        entry = self._writers.get(self.pointer(tensor))
        if entry is None or entry[0]() is None:
            return None
        return entry[1], entry[2]

    def exported(self, address: int, note: Note) -> None:
        """A NumPy array over ``address`` was handed out for the value of ``note``."""
        if address:
            self._arrays[address] = note

    def imported(self, address: int) -> Note | None:
        """The value whose memory a NumPy array at ``address`` came from, if it is known."""
        return self._arrays.get(address)


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The shape; empty for nested tensors and for lazy ones, which have none (yet)."""
    if tensor.is_nested or is_lazy(tensor):
        return ()
    return tuple(tensor.shape)


def _holder(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that a view looks at."""
    try:
        return tensor._base if tensor._is_view() and tensor._base is not None else tensor
    except RuntimeError:
        return tensor  # a view made and written to under no_grad refuses to tell


def merge_imports(parts: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The places of several histories as one short tuple without repeats, newest last."""
    seen = dict.fromkeys(i for part in parts for i in part)
    return tuple(seen)[-_IMPORTS:]


def _record(note: Note, op: int) -> t.Value:
    return t.Value(
        op,
        note.shape,
        note.dtype,
        note.requires_grad,
        note.leaf,
        note.param,
        note.origin,
        note.imports,
        note.created,
        *(note.range or (None, None)),
    )
