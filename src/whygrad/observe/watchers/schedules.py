"""Schedulers: where each is made, what it is told, what it does to the rate, and how the loss went meanwhile."""

from __future__ import annotations

import sys
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.horizon import planned
from whygrad.observe.loops import Loops
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.schedulers import Known, Turn, direction, options_of, rate
from whygrad.observe.watcher import Watcher

_SERIES = 8  #: turns that tell which way a metric goes
_AGAIN = 4  #: times that a scheduler is made in the loop before it is judged
_KEPT = 2_000  #: turns of one scheduler that are noted
_KINDS = 40  #: schedulers that are noted


class Watch(Watcher):
    """Notes them, also while the script is only followed."""

    def install(self, patches: Patches) -> None:
        """Be told of constructors, steps and losses."""
        self.known: list[Known] = []
        self._under_way: set[int] = set()  #: schedulers whose constructors run: they step once by themselves
        schedulers = torch.optim.lr_scheduler
        for kind in (schedulers.LRScheduler, schedulers.ReduceLROnPlateau):
            if "__init__" in kind.__dict__:
                patches.around(kind, "__init__", before=self._making, after=self._made)
            if "step" in kind.__dict__:
                patches.around(kind, "step", before=self._before, after=self._stepped)
        self.seen.backwards.in_light = self._losses

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """Within the window."""
        self._losses(losses)

    @guarded("the loss between a scheduler's steps", None)
    def _losses(self, losses: list[torch.Tensor]) -> None:
        wanted = [k for k in self.known if k.kind == "ReduceLROnPlateau" and len(k.turns) < _KEPT]
        if not wanted or not losses or losses[0].numel() != 1 or losses[0].is_meta:
            return
        with Quiet():
            loss = losses[0].detach().float()
            for known in wanted:
                known.sum = loss.clone() if known.sum is None else known.sum + loss
                known.last = loss.clone()
                known.passes += 1

    @guarded("the construction of a scheduler", None)
    def _making(self, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        self._under_way.add(id(scheduler))
        if len(self.known) < _KINDS:
            self._find(scheduler, self.recorder.stacks.here())

    @guarded("the construction of a scheduler", None)
    def _made(self, token: Any, result: Any, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        self._under_way.discard(id(scheduler))

    def _find(self, scheduler: Any, created: int) -> Known | None:
        for known in self.known:
            if known.ref() is scheduler:
                return known
        if len(self.known) >= _KINDS:
            return None
        self.known.append(Known(scheduler, created))
        return self.known[-1]

    @guarded("a scheduler", None)
    def _before(self, scheduler: Any, *args: Any, **kwargs: Any) -> float | None:
        return rate(scheduler)

    @guarded("a scheduler", None)
    def _stepped(self, token: Any, result: Any, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        known = self._find(scheduler, -1)
        after = rate(scheduler)
        if known is None or token is None or after is None or len(known.turns) >= _KEPT:
            return
        if id(scheduler) in self._under_way:
            return
        known.optimizer = self.seen.optimizers.find(scheduler.optimizer).index
        known.options = options_of(scheduler)
        if not known.turns:
            known.planned, known.samples = planned(self.recorder.stacks, sys._getframe(1))
        given: Any = args[0] if args else kwargs.get("metrics")
        metric = None
        single = type(given) is torch.Tensor and given.numel() == 1
        if single or type(given) in (float, int) or type(given).__module__ == "numpy":
            with Quiet():
                metric = float(given)
        turn = Turn(self.recorder.tick, self.recorder.stacks.here(), metric, type(given) is int)
        turn.loss, turn.last, turn.passes = known.sum, known.last, known.passes
        turn.before, turn.after, turn.step = token, after, self.recorder.step
        known.sum, known.passes = None, 0
        known.turns.append(turn)

    def expects(self) -> int:
        """As long as it is not told which way a plateau's metric goes, or whether a scheduler is made again and again,
        some more of its turns."""
        made = [k.created for k in self.known if k.created >= 0]
        if any(made.count(c) < _AGAIN and self._in_loop(c) for c in set(made)):
            return self.recorder.step + 1
        for known in self.known:
            if known.kind != "ReduceLROnPlateau" or not known.turns or len(known.turns) >= _SERIES:
                continue
            if direction(self.recorder.stacks, known) != known.options.get("mode"):
                return self.recorder.step + 1
        return 0

    def facts(self) -> dict[str, Any]:
        """One record for each scheduler that stepped, or was made more than once at its place."""
        return {"schedules": t.Schedules(tuple([self._record(k) for k in self.known]))}

    def _record(self, known: Known) -> t.Schedule:
        loops, inner, outer = Loops(self.recorder.stacks), 0, 0
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        if known.turns and known.optimizer >= 0:
            made = self.seen.optimizers.known[known.optimizer].created
            inner = loops.beyond(known.turns[-1].stack, made)
            outer = loops.beyond(stepped, known.turns[-1].stack)
        return t.Schedule(
            kind=known.kind,
            optimizer=known.optimizer,
            created=known.created,
            options=known.options,
            turns=known.told(),
            direction=direction(self.recorder.stacks, known) if known.kind == "ReduceLROnPlateau" else "",
            again=self._in_loop(known.created),
            inner=inner,
            outer=outer,
            planned=known.planned,
            samples=known.samples,
        )

    def _in_loop(self, created: int) -> bool:
        """Whether a scheduler is made in the loop that its optimizer steps in."""
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        return created >= 0 and Loops(self.recorder.stacks).shared(created, stepped)
