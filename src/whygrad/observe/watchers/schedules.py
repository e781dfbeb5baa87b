"""Schedulers: where each is made, what it is told, what it does to the rate, and how the loss went meanwhile."""

from __future__ import annotations

import ast
import sys
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.direction import Direction
from whygrad.observe.guard import guarded
from whygrad.observe.horizon import planned
from whygrad.observe.loops import Loops
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.rates import facts
from whygrad.observe.stats import numbers
from whygrad.observe.watcher import Watcher

_SERIES = 8  #: turns that tell which way a metric goes
_AGAIN = 4  #: times that a scheduler is made in the loop before it is judged
_KEPT = 2_000  #: turns of one scheduler that are noted
_KINDS = 40  #: schedulers that are noted
_TOP = ("mode", "patience", "threshold", "cooldown", "last_epoch", "T_mult")


class _Turn:
    def __init__(self, tick: int, stack: int, metric: float | None, whole: bool) -> None:
        self.tick, self.stack, self.metric, self.whole = tick, stack, metric, whole
        self.loss: torch.Tensor | None = None
        self.last: torch.Tensor | None = None
        self.passes = self.step = 0
        self.before = self.after = 0.0


class _Known:
    """One scheduler, held weakly."""

    def __init__(self, scheduler: Any, created: int) -> None:
        self.ref = weakref.ref(scheduler)
        self.kind = type(scheduler).__name__
        self.created = created
        self.optimizer = -1
        self.options: dict[str, float | str | bool | None] = {}
        self.turns: list[_Turn] = []
        self.planned = 0
        self.sum: torch.Tensor | None = None
        self.last: torch.Tensor | None = None
        self.passes = 0


class Watch(Watcher):
    """Notes them, also while the script is only followed."""

    def install(self, patches: Patches) -> None:
        """Be told of constructors, steps and losses."""
        self.known: list[_Known] = []
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

    def _find(self, scheduler: Any, created: int) -> _Known | None:
        for known in self.known:
            if known.ref() is scheduler:
                return known
        if len(self.known) >= _KINDS:
            return None
        self.known.append(_Known(scheduler, created))
        return self.known[-1]

    @staticmethod
    def _rate(scheduler: Any) -> float | None:
        groups = getattr(getattr(scheduler, "optimizer", None), "param_groups", ())
        return max([float(g["lr"]) for g in groups if "lr" in g], default=None)

    @guarded("a scheduler", None)
    def _before(self, scheduler: Any, *args: Any, **kwargs: Any) -> float | None:
        return self._rate(scheduler)

    @guarded("a scheduler", None)
    def _stepped(self, token: Any, result: Any, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        known = self._find(scheduler, -1)
        after = self._rate(scheduler)
        if known is None or token is None or after is None or len(known.turns) >= _KEPT:
            return
        if id(scheduler) in self._under_way:
            return
        known.optimizer = self.seen.optimizers.find(scheduler.optimizer).index
        known.options = _options(scheduler)
        if not known.turns:
            known.planned = planned(self.recorder.stacks, sys._getframe(1))
        given: Any = args[0] if args else kwargs.get("metrics")
        metric = None
        single = type(given) is torch.Tensor and given.numel() == 1
        if single or type(given) in (float, int) or type(given).__module__ == "numpy":
            with Quiet():
                metric = float(given)
        turn = _Turn(self.recorder.tick, self.recorder.stacks.here(), metric, type(given) is int)
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
            if self._direction(known) != known.options.get("mode"):
                return self.recorder.step + 1
        return 0

    def facts(self) -> dict[str, Any]:
        """One record for each scheduler that stepped, or was made more than once at its place."""
        return {"schedules": t.Schedules(tuple([self._record(k) for k in self.known]))}

    def _record(self, known: _Known) -> t.Schedule:
        wanted = [x for turn in known.turns for x in (turn.loss, turn.last) if x is not None]
        read = iter(map(float, numbers(wanted)))
        turns = []
        for turn in known.turns:
            loss = None if turn.loss is None else next(read) / max(turn.passes, 1)
            last = None if turn.last is None else next(read)
            turns.append(
                t.Turn(
                    turn.tick,
                    turn.stack,
                    turn.metric,
                    turn.whole,
                    loss,
                    last,
                    turn.passes,
                    turn.before,
                    turn.after,
                    turn.step,
                )
            )
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
            turns=tuple(turns),
            direction=self._direction(known) if known.kind == "ReduceLROnPlateau" else "",
            again=self._in_loop(known.created),
            inner=inner,
            outer=outer,
            planned=known.planned,
        )

    def _in_loop(self, created: int) -> bool:
        """Whether a scheduler is made in the loop that its optimizer steps in."""
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        return created >= 0 and Loops(self.recorder.stacks).shared(created, stepped)

    def _direction(self, known: _Known) -> str:
        """What the source says of what it is given."""
        stacks = self.recorder.stacks
        stack = known.turns[-1].stack if known.turns else -1
        for frame in stacks.stacks[stack] if stack >= 0 else ():
            code, line = stacks.place_of(frame)
            tree = stacks.trees[code.co_filename]
            for node in ast.walk(tree) if tree is not None else ():
                if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or line):
                    continue
                if (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr == "step"
                    and (node.args or node.keywords)
                ):
                    given = node.args[0] if node.args else node.keywords[0].value
                    return Direction(stacks.trees[f] for f in stacks.user_files()).of(given)
        return ""


def _options(scheduler: Any) -> dict[str, float | str | bool | None]:
    found = facts(scheduler)
    for name in _TOP:
        value = getattr(scheduler, name, None)
        if type(value) in (int, float, str):
            found[name] = value
    return found
