"""A scheduler: what is remembered of it, its options, and what the source says of the number that it is told."""

from __future__ import annotations

import ast
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.direction import Direction
from whygrad.observe.frames import Stacks
from whygrad.observe.rates import facts
from whygrad.observe.stats import numbers

_TOP = ("mode", "patience", "threshold", "cooldown", "last_epoch", "T_mult")


class Turn:
    """One step: what it was told, and the losses since the last one."""

    def __init__(self, tick: int, stack: int, metric: float | None, whole: bool) -> None:
        self.tick, self.stack, self.metric, self.whole = tick, stack, metric, whole
        self.loss: torch.Tensor | None = None
        self.last: torch.Tensor | None = None
        self.passes = self.step = 0
        self.before = self.after = 0.0


class Known:
    """One scheduler, held weakly."""

    def __init__(self, scheduler: Any, created: int) -> None:
        self.ref = weakref.ref(scheduler)
        self.kind = type(scheduler).__name__
        self.created = created
        self.optimizer = -1
        self.options: dict[str, float | str | bool | None] = {}
        self.turns: list[Turn] = []
        self.planned = self.samples = 0
        self.sum: torch.Tensor | None = None
        self.last: torch.Tensor | None = None
        self.passes = 0

    def told(self) -> tuple[t.Turn, ...]:
        """Its steps, with the losses read from the device now."""
        wanted = [x for turn in self.turns for x in (turn.loss, turn.last) if x is not None]
        read = iter(map(float, numbers(wanted)))
        turns = []
        for turn in self.turns:
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
        return tuple(turns)


def rate(scheduler: Any) -> float | None:
    """The greatest learning rate of the groups that it has."""
    groups = getattr(getattr(scheduler, "optimizer", None), "param_groups", ())
    return max([float(g["lr"]) for g in groups if "lr" in g], default=None)


def direction(stacks: Stacks, known: Known) -> str:
    """Which way what it is given gets better, by what the source calls it."""
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


def options_of(scheduler: Any) -> dict[str, float | str | bool | None]:
    """The numbers and words that it was made with."""
    found = facts(scheduler)
    for name in _TOP:
        value = getattr(scheduler, name, None)
        if type(value) in (int, float, str):
            found[name] = value
    return found
