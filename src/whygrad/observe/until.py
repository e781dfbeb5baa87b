"""How long to watch: N steps, and longer only where what was seen does not decide the question yet."""

from __future__ import annotations

import time

from whygrad import trace as t
from whygrad.observe.backward import Backwards
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.recorder import Recorder

_FEW = 3  #: steps that every optimizer should have taken, where it steps more rarely than the others
_PATIENCE = 3  #: windows to wait for such an optimizer
_FOLLOW = 20  #: windows to follow lightly when parameters may only begin to train in a later stage
_FOLLOW_SECONDS = 10.0


class Until:
    """Decides after each step and each backward pass whether the window is full."""

    def __init__(self, recorder: Recorder, optimizers: Optimizers, backwards: Backwards, steps: int) -> None:
        self.recorder, self.optimizers, self.backwards, self.steps = recorder, optimizers, backwards, steps
        self._followed_since = 0.0
        self._follow_from = 0
        self._events = 0
        self._flips = 0
        self._again_until = 0
        self.hand_steps = 0
        self._written = 0

    def after_step(self) -> bool:
        """Whether the step just taken was the last to be watched."""
        done = self.recorder.step
        if self._again_until:
            return done >= self._again_until
        if self.recorder.light:
            return self._follow(done)
        if done < self.steps or (self._waiting() and done < _PATIENCE * self.steps):
            return False
        if not self._undecided():
            return True
        self.recorder.light = True
        self._followed_since, self._follow_from = time.perf_counter(), done
        self._events, self._flips = len(self.recorder.events), self._trainable()
        return False

    def _waiting(self) -> bool:
        """Whether an optimizer whose parameters get gradients has stepped only once or twice, or was skipped."""
        stepped = {p for k in self.optimizers.known if k.steps >= _FEW for g in k.groups for p in g.params}
        reached = {g.param for b in self.recorder.backwards[-20:] for g in b.grads}
        for known in self.optimizers.known:
            own = {p for g in known.groups for p in g.params}
            if known.steps < min(_FEW, self.steps) and own & reached and not own <= stepped:
                return True
        return False

    def _undecided(self) -> bool:
        """Frozen and at random values, in an optimizer: a later stage of the script may unfreeze it."""
        held = {p for k in self.optimizers.known for g in k.groups for p in g.params}
        return (
            any(
                not e.requires_grad
                and e.note.origin & t.RANDOM
                and not e.note.origin & t.LOADED
                and e.ref() is not None
                for e in (self.recorder.params.entries[i] for i in held)
            )
            or self._reset_once()
        )

    def _reset_once(self) -> bool:
        """A parameter went back to an earlier value exactly once: only the next time tells a habit from an event."""
        seen: dict[int, list[int]] = {}
        for step in self.recorder.steps:
            for row in step.params[:1]:
                seen.setdefault(row.param, []).append(row.before)
        return any(len(b) - len(set(b)) == 1 for b in seen.values())

    def _trainable(self) -> int:
        return sum(len(e.flips) for e in self.recorder.params.entries)

    def _follow(self, done: int) -> bool:
        fresh = self.recorder.events[self._events :]
        if self._trainable() != self._flips or any(e.kind == "module-requires-grad" for e in fresh):
            self.recorder.light = False
            self._again_until = done + self.steps
            return False
        late = time.perf_counter() - self._followed_since > _FOLLOW_SECONDS
        return late or done - self._follow_from > _FOLLOW * self.steps

    def after_backward(self) -> bool:
        """Whether to stop for want of steps: nothing ever stepped, however often backward ran."""
        if self.recorder.step:
            return False
        count = self.backwards.count
        tried = sum(1 for s in self.recorder.steps if s.skipped)
        if tried:
            return tried >= _PATIENCE * self.steps
        writes = sum(1 for e in self.recorder.events[self._written :] if e.kind == "write")
        self._written = len(self.recorder.events)
        self.hand_steps += bool(writes)
        if self.hand_steps >= self.steps:
            return True
        if count < _PATIENCE * self.steps:
            return False
        if not self.optimizers.known:
            return True
        if not self.recorder.light:
            self.recorder.light = True
            self._followed_since = time.perf_counter()
        return (
            count >= 5 * _FOLLOW * self.steps
            or time.perf_counter() - self._followed_since > 2 * _FOLLOW_SECONDS
        )
