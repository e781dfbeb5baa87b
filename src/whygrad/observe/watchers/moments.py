"""Calls that concern a module as a whole: its mode, its weights taken or put back.

That a place has made one is told to ``until``; snapshots and second names of modules are judged by their memory.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.repetition import repeated
from whygrad.observe.second_names import Names
from whygrad.observe.snapshots import Snapshots
from whygrad.observe.watcher import Watcher

_KEYS = torch.nn.modules.module._IncompatibleKeys


class Watch(Watcher):
    """A module's call for its submodules is torch's own and not told."""

    inside = False

    def install(self, patches: Patches) -> None:
        """Be told of the methods of modules; optimizers and schedulers are seen elsewhere."""
        self.snapshots = Snapshots(self.seen)
        self._found = t.Snapshots()
        self._partly: dict[int, tuple[Any, int, tuple[str, ...], tuple[str, ...]]] = {}
        for name in ("train", "state_dict", "load_state_dict"):
            patches.set(torch.nn.Module, name, self._telling(name, patches))
        for kind in (torch.optim.lr_scheduler.LRScheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            for name in ("state_dict", "load_state_dict"):
                if name in kind.__dict__:
                    patches.around(kind, name, before=self._ran)
        for name in ("state_dict", "load_state_dict"):
            patches.around(torch.optim.Optimizer, name, before=self._ran)
        patches.around(torch, "save", before=self._saving)

    def _telling(self, name: str, patches: Patches) -> Callable[..., Any]:
        original = getattr(torch.nn.Module, name)
        link = patches.link(self)

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            watch: Watch | None = link.to
            if watch is None or watch.inside:
                return original(*args, **kwargs)
            watch.inside = True
            try:
                watch._before(name, args, kwargs)
                result = original(*args, **kwargs)
                watch._after(name, args, kwargs, result)
                return result
            finally:
                watch.inside = False

        return call

    @guarded("a call of the script's", None)
    def _ran(self, *args: Any, **kwargs: Any) -> None:
        self.seen.until.ran(self.recorder.stacks.here())

    @guarded("a state that is loaded", None)
    def _before(self, name: str, args: Any, kwargs: Any) -> None:
        self.seen.until.ran(self.recorder.stacks.here())
        if name == "load_state_dict" and args:
            self.snapshots.loading(args[0], args[1] if len(args) > 1 else kwargs.get("state_dict"))

    @guarded("a state that is taken", None)
    def _after(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        if name == "state_dict" and args and not kwargs.get("keep_vars"):
            self.snapshots.took(args[0], result)

        if name == "load_state_dict" and args and type(result) is _KEYS and any(result):
            missing, unexpected = tuple(result.missing_keys), tuple(result.unexpected_keys)
            total = sum(
                v is not None
                for m in args[0].modules()
                for v in (*m._parameters.values(), *m._buffers.values())
            )
            stack = self.recorder.stacks.here()
            self._partly[stack] = (weakref.ref(args[0]), total - len(missing), missing, unexpected)

    def _loaded(self, names: Names) -> tuple[t.Loaded, ...]:
        """States that did not fit; the parameters are those of modules that are still there."""
        found = []
        for stack, (ref, fitting, missing, unexpected) in self._partly.items():
            module = ref()
            params = names.params(module) if module is not None else ()
            example = (missing[0] if missing else "", unexpected[0] if unexpected else "")
            found.append(t.Loaded(stack, fitting, len(missing), len(unexpected), example, params))
        return tuple(found)

    @guarded("a state that is saved", None)
    def _saving(self, *args: Any, **kwargs: Any) -> None:
        self.seen.until.ran(self.recorder.stacks.here())
        self.snapshots.saving(args[0] if args else kwargs.get("obj"))

    def after_step(self) -> None:
        """Snapshots that are kept fall behind."""
        self.snapshots.stepped()

    def expects(self) -> int:
        """Nothing more; but the variables are there now, and may be gone when the script has come to its own end."""
        if not self._found.aliases and not self._found.repeated and not self.recorder.light:
            self.window_ends()
        return 0

    @guarded("second names of modules", None)
    def window_ends(self) -> None:
        """The variables are still there now, and so is what holds snapshots."""
        names = Names(self.seen, self.snapshots.copied)
        self._found = t.Snapshots(
            self.snapshots.records(),
            names.aliases() or self._found.aliases,
            repeated(names) or self._found.repeated,
            self._loaded(names),
        )

    def facts(self) -> dict[str, Any]:
        """Everything noted, as one record."""
        return {"snapshots": self._found}
