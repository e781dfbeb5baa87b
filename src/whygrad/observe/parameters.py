"""Every tensor that training could change: Parameters, buffers and other leaf tensors, and what became of each."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.stats import Look, look
from whygrad.observe.values import Note, Values, shape_of


class Tracked:
    """One such tensor. Only a weak reference to it is kept."""

    def __init__(
        self, tensor: torch.Tensor, index: int, note: Note, role: str, created: int, tick: int
    ) -> None:
        self.ref = weakref.ref(tensor)
        self.index = index
        self.note = note
        self.role = role
        self.created = created
        self.tick = tick
        self.assigned = -1
        self.module: weakref.ref[Any] | None = None
        self.placed: Any = None
        self.name = ""
        self.module_class = ""
        self.fqn = ""
        self.root = ""
        self.hidden = ""
        self.holder = ""
        self.attribute = ""
        self.late = False
        self.container = ""
        self.registered = False
        self.live_name = True
        self.training = True
        self.norm_layer = False
        self.aliases: tuple[str, ...] = ()
        self.odd: tuple[str, ...] = ()
        self.written = -1
        self.written_by = ""
        self.flips: list[t.Flip] = []
        self.first: Look | None = None
        self.last: Look | None = None
        self.shape = shape_of(tensor)
        self.dtype = str(tensor.dtype).removeprefix("torch.")
        self.requires_grad = tensor.requires_grad
        self.leaf = tensor.is_leaf

    def refresh(self, tensor: torch.Tensor) -> None:
        """Take over the facts that can change (lazy modules, ``.to()``, freezing)."""
        self.shape = shape_of(tensor)
        self.dtype = str(tensor.dtype).removeprefix("torch.")
        self.requires_grad = tensor.requires_grad
        self.leaf = tensor.is_leaf


class Parameters:
    """The list of tracked tensors, found again by identity or by storage."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._by_storage: dict[int, int] = {}
        self.entries: list[Tracked] = []
        #: The entry of a parameter that an unknown tensor takes the place of or stands for, if there is one (``shards``).
        self.predecessor: Callable[[torch.Tensor], Tracked | None] = lambda tensor: None

    def add(self, tensor: torch.Tensor, role: str, created: int, tick: int) -> Tracked:
        """Track ``tensor``, or return its entry if it is tracked already."""
        note = self._values.get(tensor)
        if note is not None and note.param >= 0:
            return self.entries[note.param]
        known = self.predecessor(tensor)
        if known is not None:
            return known
        origin = note.origin if note is not None else t.LOADED
        note = note or Note()
        note.carries, note.param, note.origin = True, len(self.entries), origin
        note.created = created if note.created < 0 else note.created
        note.vid = -1
        self._values.describe(tensor, note)
        self._values.put(tensor, note)
        entry = Tracked(tensor, note.param, note, role, created, tick)
        self.entries.append(entry)
        self.remember_storage(tensor, entry.index)
        return entry

    def adopt(self, entry: Tracked, tensor: torch.Tensor) -> Tracked:
        """``tensor`` is from now on the parameter of this entry."""
        self._values.put(tensor, entry.note)
        entry.ref = weakref.ref(tensor)
        entry.refresh(tensor)
        self.remember_storage(tensor, entry.index)
        return entry

    def also(self, entry: Tracked, tensor: torch.Tensor) -> None:
        """``tensor`` stands for the parameter of this entry, too."""
        self._values.put(tensor, entry.note)

    def remember_storage(self, tensor: torch.Tensor, index: int) -> None:
        """Let a write through an alias (``.data``, ``detach()``, a view) be recognised."""
        pointer = self._values.pointer(tensor)
        if pointer:
            self._by_storage[pointer] = index

    def find(self, tensor: torch.Tensor) -> Tracked | None:
        """The entry of this very tensor."""
        note = self._values.get(tensor)
        return self.entries[note.param] if note is not None and note.param >= 0 else None

    def behind(self, tensor: torch.Tensor) -> Tracked | None:
        """The entry whose storage ``tensor`` shares, if that parameter is still alive."""
        index = self._by_storage.get(self._values.pointer(tensor), -1)
        if index < 0:
            return None
        entry = self.entries[index]
        owner = entry.ref()
        return (
            entry
            if owner is not None and self._values.pointer(owner) == self._values.pointer(tensor)
            else None
        )

    def look_at_all(self, final: bool) -> None:
        """Measure every live tracked tensor: for the first time, or (``final``) for the last."""
        for entry in self.entries:
            tensor = entry.ref()
            if tensor is None or (entry.first is not None and not final):
                continue
            entry.refresh(tensor)
            seen = look(tensor)
            if final:
                entry.last = seen
                if entry.first is None:
                    entry.first = seen
            else:
                entry.first = seen
                self.remember_storage(tensor, entry.index)
