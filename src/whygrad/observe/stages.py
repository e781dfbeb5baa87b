"""Whether a script that is only followed has begun another stage of its training, which deserves another full look."""

from __future__ import annotations

from whygrad.observe.optimizers import Known, Optimizers
from whygrad.observe.recorder import Recorder

_MODULES = 200  #: modules whose mode is looked at


class Stages:
    """Compares what trains, and how, with what it was when the window was full."""

    def __init__(self, recorder: Recorder, optimizers: Optimizers) -> None:
        self._recorder, self._optimizers = recorder, optimizers
        self._stacks: set[int] = set()
        self._events = 0
        self._held: list[frozenset[int]] = []
        self._optimizers_seen = 0
        self._modes: tuple[bool | None, ...] = ()
        self._still: set[int] = set()

    def begin(self) -> None:
        """Remember how things are."""
        self._events = len(self._recorder.events)
        self._stacks |= {f.stack for e in self._recorder.params.entries for f in e.flips}
        self._optimizers_seen = len(self._optimizers.known)
        self._held = [_held(known) for known in self._optimizers.known]
        self._modes = self._training()
        self._still = self._frozen_now()

    def _frozen_now(self) -> set[int]:
        """Parameters that an optimizer holds and that are frozen."""
        held = {p for known in self._optimizers.known for g in known.groups for p in g.params}
        return {p for p in held if not self._recorder.params.entries[p].requires_grad}

    def new(self) -> bool:
        """Whether, since then, something was frozen or set free at a place that had not done so before, an optimizer
        over other parameters has stepped, or the mode in which steps are taken has changed."""
        return self._frozen() or self._other_optimizer() or self._training() != self._modes

    def _frozen(self) -> bool:
        events = self._recorder.events[self._events :]
        self._events = len(self._recorder.events)
        if any(e.kind == "module-requires-grad" for e in events):
            return True
        if not any(e.kind == "set-requires-grad" for e in events):
            return False
        if self._still - self._frozen_now():
            return True  # what an optimizer has had all the time is set free
        flips = {f.stack for e in self._recorder.params.entries for f in e.flips}
        return not flips <= self._stacks

    def _other_optimizer(self) -> bool:
        known = self._optimizers.known[self._optimizers_seen :]
        return any(one.steps and _held(one) not in self._held for one in known)

    def _training(self) -> tuple[bool | None, ...]:
        modules = [caller.ref() for caller in self._recorder.callers.entries[:_MODULES]]
        return tuple([None if m is None else m.__dict__.get("training") for m in modules])


def _held(known: Known) -> frozenset[int]:
    return frozenset(p for g in known.groups for p in g.params)
