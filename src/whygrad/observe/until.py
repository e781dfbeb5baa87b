"""How long to watch: N steps, and longer only where what was seen does not decide the question yet."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from whygrad import trace as t
from whygrad.observe.ahead import Ahead, Moment
from whygrad.observe.backward import Backwards
from whygrad.observe.loops import Loops
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.rates import steps_needed, trend
from whygrad.observe.recorder import Recorder
from whygrad.observe.stages import Stages
from whygrad.ranks.job import place

_FEW = 3  #: steps that every optimizer should have taken, where it steps more rarely than the others
_PATIENCE = 3  #: windows to wait for such an optimizer
_FOLLOW = 20  #: windows to follow lightly when parameters may only begin to train in a later stage
_FOLLOW_SECONDS = 10.0
_AFTER = 3  #: steps to see after the last thing that the source says is to come
_AGAIN = 2  #: windows opened again where a new stage of the training begins
_MODAL = ("BatchNorm", "Dropout", "InstanceNorm")  #: layers that evaluation mode makes a difference to
_MOST = 100_000  #: steps followed lightly, however short they are


class Until:
    """Decides after each step and each backward pass whether the window is full."""

    def __init__(
        self,
        recorder: Recorder,
        optimizers: Optimizers,
        backwards: Backwards,
        steps: int,
        expected: Callable[[], int] = lambda: 0,
    ) -> None:
        self.recorder, self.optimizers, self.backwards, self.steps = recorder, optimizers, backwards, steps
        self._expected = expected
        self._followed_since = 0.0
        self._follow_to = 0
        self._again_until = 0
        self._again = 0
        self.hand_steps = 0
        #: Whether what the source says is to come may make it longer.
        self.looks_ahead = True
        #: Several ranks must end after the same step: they look on only to a step that all of them know.
        self.among_ranks = place() is not None
        self._written = 0
        self._loops = Loops(recorder.stacks)
        self._stages = Stages(recorder, optimizers)
        self._places: set[tuple[str, int]] = set()
        self._stacks: set[int] = set()
        self._coming: list[Moment] | None = None
        self._reached = 0
        self._heard = 0

    def ran(self, stack: int) -> None:
        """A call that ``ahead`` looks for was made at ``stack``."""
        if stack >= 0 and stack not in self._stacks:
            self._stacks.add(stack)
            for frame in self.recorder.stacks.stacks[stack]:
                code, line = self.recorder.stacks.place_of(frame)
                self._places.add((code.co_filename, line))

    def after_step(self) -> bool:
        """Whether the step just taken was the last to be watched."""
        done = self.recorder.step
        if self._again_until:
            if done < self._again_until:
                return False
            self._again_until = 0
            return not self._follows(done)
        if self.optimizers.expecting:
            late = time.perf_counter() - self._followed_since > 2 * _FOLLOW_SECONDS
            return done >= min(_FEW, self.steps) or late
        if self.recorder.light:
            return self._follow(done)
        if done < self.steps and not self._made_anew():
            return False
        if done < _PATIENCE * self.steps and (self._waiting() or self._overwritten_in_turns()):
            return False
        return not self._follows(done)

    def _follows(self, done: int) -> bool:
        """Whether there is reason to look on lightly, now that a window is full."""
        if self._followed_since and self._late():
            return False
        undecided = not self.among_ranks and self._undecided()
        falling = 0 if self.among_ranks else self._falling(done)
        self._follow_to = max(falling, done + _FOLLOW * self.steps if undecided else 0)
        if max(self._follow_to, self._expected()) <= done and not self._something_coming(done):
            return False
        self.recorder.light = True
        self._followed_since = self._followed_since or time.perf_counter()
        self.recorder.deadline = self._followed_since + _FOLLOW_SECONDS
        self._stages.begin()
        return True

    def _follow(self, done: int) -> bool:
        """After a step that was only followed: whether it was the last."""
        if self._late():
            return True
        if self._again < _AGAIN and self._stages.new():
            self._again += 1
            self.recorder.light = False
            self._again_until = done + self.steps
            return False
        if max(self._follow_to, min(self._expected(), _MOST)) > done:
            return False
        return not self._something_coming(done)

    def _late(self) -> bool:
        return time.perf_counter() - self._followed_since > _FOLLOW_SECONDS

    def _something_coming(self, done: int) -> bool:
        """Whether a call that the source shows has not run, or ran only a few steps ago."""
        if not self.looks_ahead or self.among_ranks:
            return False
        if self._coming is None:
            stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
            modal = any(c.kind.startswith(_MODAL) for c in self.recorder.callers.entries)
            self._coming = Ahead(self.recorder.stacks, modal).moments(stepped)
        if self._coming:
            self._hear()
            left = [m for m in self._coming if not m.among(self._places)]
            if len(left) < len(self._coming):
                self._coming, self._reached = left, done
        return bool(self._coming) or done < self._reached + _AFTER

    def _hear(self) -> None:
        """Take over the places of what is seen elsewhere."""
        for event in self.recorder.events[self._heard :]:
            if event.kind in ("scheduler-step", "set-requires-grad", "module-requires-grad"):
                self.ran(event.stack)
        self._heard = len(self.recorder.events)
        for known in self.optimizers.known:
            self.ran(known.created)

    def _waiting(self) -> bool:
        """Whether an optimizer whose parameters get gradients has stepped only once or twice, or was skipped."""
        stepped = {p for k in self.optimizers.known if k.steps >= _FEW for g in k.groups for p in g.params}
        reached = {g.param for b in self.recorder.backwards[-20:] for g in b.grads}
        for known in self.optimizers.known:
            own = {p for g in known.groups for p in g.params}
            if known.steps < min(_FEW, self.steps) and own & reached and not own <= stepped:
                return True
        return False

    def _made_anew(self) -> bool:
        """Whether an optimizer is made again and again at one place, so that none ever takes many steps."""
        gone = [k.created for k in self.optimizers.known if k.steps and k.ref() is None]
        return len(gone) > _PATIENCE * self.steps and max(map(gone.count, set(gone))) > _PATIENCE * self.steps

    def _overwritten_in_turns(self) -> bool:
        """Whether something writes whole parameters in the loop that steps, once an epoch, say, and has not yet been
        seen to do so twice while training."""
        stepped = next((s.stack for s in reversed(self.recorder.steps) if s.params), -1)
        held = {p for k in self.optimizers.known for g in k.groups for p in g.params}
        writes = [
            e for e in self.recorder.finished_events() if e.kind == "write" and held.intersection(e.params)
        ]
        places = {e.stack for e in writes}
        for entry in (self.recorder.params.entries[i] for i in held):
            if entry.written >= 0 and not self.recorder.stacks.same_construction(
                entry.written, entry.created
            ):
                places.add(entry.written)
        often = {p for p in places if len({e.step for e in writes if e.stack == p}) > 1}
        return any(self._loops.shared(place, stepped) for place in places - often)

    def _undecided(self) -> bool:
        """Frozen and at random values, in an optimizer: a later stage of the script may unfreeze it."""
        alive = [k for k in self.optimizers.known if k.ref() is not None]
        held = {p for k in alive for g in k.groups for p in g.params}
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

    def _falling(self, done: int) -> int:
        """The step up to which the learning rates must be followed, where they seem to fall with every batch; 0: none."""
        needed = []
        for known in self.optimizers.known:
            events = [
                e for e in self.recorder.events if e.kind == "scheduler-step" and e.optimizer == known.index
            ]
            rates = [max(s.lrs) for s in self.recorder.steps if s.optimizer == known.index and s.lrs]
            needed.append(steps_needed(events, known.steps) if events else math.ceil(2.5 * trend(rates)))
        return max([n for n in needed if done < n <= _FOLLOW * self.steps], default=0)

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
            self.recorder.light = self.optimizers.expecting = True
            self._followed_since = time.perf_counter()
        return (
            count >= 5 * _FOLLOW * self.steps
            or time.perf_counter() - self._followed_since > 2 * _FOLLOW_SECONDS
        )
