"""What a watcher is, and how all of them are told what happens.

A watcher notes facts of one kind for the trace (the data that comes in, the modes of modules, ...). It is found by
walking ``whygrad.observe.watchers``; an error in one is noted and does not reach the others or the script.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import torch

from whygrad import trace as t
from whygrad.observe import watchers
from whygrad.observe.call import Call
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Unheard

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation


_PLAIN = (torch.Tensor, torch.nn.Parameter)


class Watcher:
    """Base of all watchers; every method may be left as it is.

    Measure inside ``with Quiet():`` (``whygrad.observe.quiet``), so that whygrad's own arithmetic is neither recorded
    nor heard, and never read a number back from a device before :meth:`facts` if it can wait: keep small tensors.
    """

    #: Names of torch functions, as ``whygrad.observe.names`` gives them, whose calls :meth:`called` wants to see.
    names: frozenset[str] = frozenset()

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.recorder = seen.recorder
        self.problems = seen.problems

    def install(self, patches: Patches) -> None:
        """Replace attributes of torch; they are put back at the end. What is called then must be ``@guarded``, and heed
        ``recorder.light`` (nothing costly any more) and ``recorder.own.paused`` (torch's or whygrad's own work)."""

    def called(self, call: Call) -> None:
        """A function of ``names`` has returned and was recorded (not in light mode, and not inside a step)."""

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """``backward`` (not ``torch.autograd.grad``) is about to run."""

    def after_backward(self) -> None:
        """A backward pass is over and recorded: the last of ``recorder.backwards``."""

    def after_step(self) -> None:
        """An optimizer's step is over (also in light mode)."""

    def window_ends(self) -> None:
        """The last look: the script's objects are still alive, and nothing will be observed any more."""

    def expects(self) -> int:
        """Optimizer steps for which the script should still be followed lightly, because something that it will do
        decides a question of this watcher's; 0: none. Asked when the window would end."""
        return 0

    def facts(self) -> dict[str, Any]:
        """Fields of :class:`whygrad.trace.Learning`. Called more than once; must not change anything."""
        return {}


class Watchers:
    """All watchers of one observation."""

    def __init__(self, seen: Observation) -> None:
        self.problems = seen.problems
        self._seen = seen
        self.all: list[Watcher] = []
        self._by_name: dict[str, list[Watcher]] = {}

    def install(self, patches: Patches) -> None:
        """Find, make and install them."""
        for info in pkgutil.iter_modules(watchers.__path__):
            self._install(f"{watchers.__name__}.{info.name}", patches)
        for watcher in self.all:
            for name in watcher.names:
                self._by_name.setdefault(name, []).append(watcher)
        self._seen.recorder.watched = frozenset(self._by_name)
        self._seen.recorder.on_call = self.called

    @guarded("the start of a watcher", None)
    def _install(self, name: str, patches: Patches) -> None:
        make = getattr(importlib.import_module(name), "Watch", None)
        if make is not None:
            watcher: Watcher = make(self._seen)
            watcher.install(patches)
            self.all.append(watcher)

    def called(self, call: Call) -> None:
        """Tell those who asked for this function."""
        if _ordinary(call):
            for watcher in self._by_name.get(call.function.name, ()):
                self._tell(watcher, "called", call)

    def tell(self, moment: str, *args: Any) -> None:
        """Call the method ``moment`` of every watcher."""
        for watcher in self.all:
            self._tell(watcher, moment, *args)

    @guarded("facts for the report", None)
    def _tell(self, watcher: Watcher, moment: str, *args: Any) -> Any:
        with Unheard():
            return getattr(watcher, moment)(*args)

    def expects(self) -> int:
        """The most that any of them expects."""
        return max([self._tell(w, "expects") or 0 for w in self.all], default=0)

    def facts(self) -> t.Learning:
        """What all of them noted."""
        found: dict[str, Any] = {}
        for watcher in self.all:
            found.update(self._tell(watcher, "facts") or {})
        return t.Learning(**found)


def _ordinary(call: Call) -> bool:
    """Whether what a call was given, and gave, can be measured: no subclass's tensors (fake ones, say), which have
    operations of their own, none without data, and no complex numbers."""
    return all(
        type(x) in _PLAIN and not x.is_meta and not x.is_complex()
        for x in (*call.args, *call.kwargs.values(), call.result)
        if issubclass(type(x), torch.Tensor)
    )
