"""States that are loaded: what of the module they do not reach, what they tear apart, and what is drawn anew afterwards."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.restoring import given, named, renamed, torn
from whygrad.observe.watcher import Watcher

_KEYS = torch.nn.modules.module._IncompatibleKeys
_LOADS = 40  #: that are noted
_RANDOM = ("uniform_", "normal_", "orthogonal_")


class _Load:
    """One call; the module is held weakly."""

    def __init__(self, module: torch.nn.Module, stack: int, tick: int, passes: int) -> None:
        self.ref, self.stack, self.tick, self.passes = weakref.ref(module), stack, tick, passes
        self.own = self.informative = False
        self.torn: tuple[str, str] | None = None
        self.renamed: list[tuple[str, str]] = []
        self.weights = 0
        self.lacking: list[int] = []
        self.loaded: list[int] = []
        self.origins: list[int] = []  #: of ``loaded``, as they were then
        self.redrawn: list[tuple[int, int]] = []


class Watch(Watcher):
    """Compares a module before and after."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._loads: list[_Load] = []
        self._read = False
        self._open: tuple[int, dict[str, int], bool, bool] | None = None
        self._looked = False

    def install(self, patches: Patches) -> None:
        """Hear of states that are read and loaded, and of embeddings made of given vectors."""
        patches.around(torch.nn.Module, "load_state_dict", before=self._loading, after=self._done)
        patches.around(torch, "load", after=self._was_read)
        for kind in (torch.nn.Embedding, torch.nn.EmbeddingBag):
            original = kind.__dict__.get("from_pretrained")
            if isinstance(original, classmethod):
                patches.set(kind, "from_pretrained", self._pretrained(original, patches))

    def _pretrained(self, original: Any, patches: Patches) -> Any:
        link, function = patches.link(self._given), original.__func__

        @functools.wraps(function)
        def from_pretrained(cls: Any, *args: Any, **kwargs: Any) -> Any:
            result = function(cls, *args, **kwargs)
            if link.to is not None:
                link.to(result)
            return result

        return classmethod(from_pretrained)

    @guarded("an embedding of given vectors", None)
    def _given(self, module: torch.nn.Module) -> None:
        if len(self._loads) < _LOADS:
            load = _Load(module, self.recorder.stacks.here(), self.recorder.tick, self.recorder.passes)
            load.informative = True
            load.loaded = self._indices(named(module))
            load.weights = len(load.loaded)
            self._keep(load)

    @guarded("a file that is read", None)
    def _was_read(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        self._read = True

    @guarded("a state that is loaded", None)
    def _loading(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        self._open = None
        if len(self._loads) >= _LOADS or self.recorder.light or self.recorder.own.paused:
            return
        state = given(args[0] if args else kwargs.get("state_dict"))
        with Quiet():
            mine = {name: id(p) for name, p in named(module)}
            pointers = {self.recorder.values.pointer(p) for _, p in named(module)} - {0}
            floats = [v for v in state.values() if v.is_floating_point()]
            own = bool(floats) and all(self.recorder.values.pointer(v) in pointers for v in floats)
            fresh = bool(floats) and not self.recorder.steps
            fresh = fresh and all(self.recorder.params.behind(v) is not None for v in floats)
        self._open = id(module), mine, own, not fresh

    @guarded("a state that is loaded", None)
    def _done(self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        opened, self._open = self._open, None
        if opened is None or opened[0] != id(module) or type(result) is not _KEYS:
            return
        recorder = self.recorder
        load = _Load(module, recorder.stacks.here(), recorder.tick, recorder.passes)
        state = given(args[0] if args else kwargs.get("state_dict"))
        own = dict(named(module))
        load.own = opened[2] and self._read
        load.informative = opened[3] and not opened[2]
        load.torn = torn(opened[1], {name: id(p) for name, p in own.items()})
        missing = {k: tuple(own[k].shape) for k in result.missing_keys if k in own}
        unexpected = {k: tuple(state[k].shape) for k in result.unexpected_keys if k in state}
        load.renamed = renamed(missing, unexpected, set(own), set(state))
        load.weights = sum(p.dim() > 1 for p in own.values())
        load.loaded = self._indices((k, p) for k, p in own.items() if k in state)
        reached = set(load.loaded)
        load.lacking = [i for i in self._indices((k, own[k]) for k in missing) if i not in reached]
        self._keep(load)

    def _keep(self, load: _Load) -> None:
        load.origins = [self.recorder.params.entries[i].note.origin for i in load.loaded]
        self._loads.append(load)

    def _indices(self, pairs: Any) -> list[int]:
        found = [self.recorder.params.find(p) for _, p in pairs]
        return [entry.index for entry in found if entry is not None]

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The first time: what has been filled with random numbers since it was loaded."""
        if self._looked:
            return
        self._looked = True
        self._tied_again()
        entries = self.recorder.params.entries
        for load in self._loads:
            for index, origin in zip(load.loaded, load.origins, strict=True):
                entry = entries[index]
                # a truncated normal or an orthogonal matrix is made in several writes, of which the last is not random
                fresh = bool(entry.note.origin & t.RANDOM and not origin & t.RANDOM)
                drawn = fresh or entry.written_by.endswith(_RANDOM)
                if drawn and entry.written not in (-1, load.stack):
                    load.redrawn.append((index, entry.written))

    def window_ends(self) -> None:
        """For states that were loaded in the course of the training."""
        self._tied_again()

    def _tied_again(self) -> None:
        """What came apart may have been joined again right after the load."""
        for load in self._loads:
            module = load.ref() if load.torn is not None else None
            if module is not None and load.torn is not None:
                own = dict(named(module))
                if own.get(load.torn[0]) is own.get(load.torn[1]):
                    load.torn = None

    def facts(self) -> dict[str, Any]:
        """One record for each load."""
        return {"restored": tuple([_record(load) for load in self._loads])}


def _record(load: _Load) -> t.Restored:
    return t.Restored(
        stack=load.stack,
        tick=load.tick,
        passes=load.passes,
        own=load.own,
        informative=load.informative,
        torn=load.torn,
        renamed=tuple(load.renamed[:6]),
        renamed_count=len(load.renamed),
        weights=load.weights,
        lacking=tuple(load.lacking),
        loaded=tuple(load.loaded),
        redrawn=tuple(load.redrawn),
    )
