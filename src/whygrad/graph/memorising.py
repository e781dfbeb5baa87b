"""Whether a run of ``--overfit`` memorised its batch: the loss at every pass against what a constant guess reaches."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from statistics import fmean

from whygrad import trace as t
from whygrad.finding import Overfit
from whygrad.graph.chain import Graph
from whygrad.graph.fitting import Fit

_MEMORISED = 0.1  #: of the way from the floor to the constant guess
_RIGHT, _NEARLY = 0.95, 0.5  #: or so many samples in their class, with half of that way gone
_UNMOVED = 0.9  #: more than that is left: nothing was learned
_FEW = 50  #: passes that a judgement takes
_PATIENCE = 10  #: a loss that would need this many more runs at its pace does not get there


class Memorising(Fit):
    """The judgement, and its words."""

    def __init__(self, graph: Graph, run: t.Overfit) -> None:
        super().__init__(run)
        self._graph = graph
        # steps by hand are counted in the full window only
        self.steps = len(run.losses) if graph.trace.hand_steps else graph.trace.step_count()

    @cached_property
    def unknown(self) -> str:
        """Why nothing can be judged; empty if it can."""
        if not self.values:
            return "no backward pass was seen"
        if self.run.batch in ("changing", "looking"):
            return f"the batch could not be repeated ({self.run.why or 'the run ended too early'})"
        if self._alternating():
            return "losses are trained against each other, and none of them is to vanish"
        if not self.calls and min(self.values) < 0:
            return "this loss may be negative, and how low it can get is not known"
        return ""

    def _alternating(self) -> bool:
        """Whether several optimizers step after passes of their own, as in a GAN."""
        stepped = sum(1 for optimizer in self._graph.trace.optimizers if optimizer.steps)
        counts = Counter(self.run.places)
        often = [stack for stack, count in counts.items() if 4 * count >= counts[self.place]]
        return stepped > 1 and len(often) > 1

    @cached_property
    def left(self) -> float:
        """How much of the way to a perfect answer is left; 1 is the constant guess (where that is not known, the first
        loss)."""
        floor, top = self.floor or 0.0, self.guess or self.start
        return (self.end - floor) / (top - floor or 1.0)

    @cached_property
    def outcome(self) -> str:
        """See :class:`finding.Overfit`."""
        if self.unknown:
            return "unknown"
        if not all(map(math.isfinite, self.values[-self.last :])):
            return "diverged"
        if self.left < _MEMORISED or ((self.right or 0.0) >= _RIGHT and self.left < _NEARLY):
            return "memorised"
        if len(self.values) < _FEW:
            return "unknown"
        if self.more is not None:
            return "falling"
        if self.calls:
            return "partly" if self.run.noise and self.left < _NEARLY else "stuck"
        return "partly" if self.left < _UNMOVED else "stuck"

    @cached_property
    def more(self) -> int | None:
        """How many more steps the loss would need at its pace; None if it has none worth the name."""
        quarter = len(self.values) // 4
        if not quarter:
            return None
        floor, top = self.floor or 0.0, self.guess or self.start
        before = fmean(self.values[-2 * quarter : -quarter]) - floor
        now = fmean(self.values[-quarter:]) - floor
        if not 0 < now < before:
            return None
        quarters = math.log(max(now / (_MEMORISED * (top - floor)), 1.01)) / math.log(before / now)
        return None if quarters > 4 * _PATIENCE else math.ceil(quarters * self.steps / 4)

    @cached_property
    def modules(self) -> dict[str, float]:
        """For every module that is trained how far its parameters went, as a share of their size; the least first."""
        sums: dict[str, list[float]] = {}
        for one in self.run.moved:
            param = self._graph.trace.params[one.param]
            holders = self._graph.updates.holders.get(one.param, ())
            if param.named and any(self._graph.trace.optimizers[index].steps for index, _ in holders):
                total = sums.setdefault(param.fqn.rpartition(".")[0] or param.fqn, [0.0, 0.0])
                total[0] += one.change**2
                total[1] += one.norm**2
        shares = {name: math.sqrt(change / norm) for name, (change, norm) in sums.items() if norm > 0}
        return dict(sorted(shares.items(), key=lambda item: item[1]))

    # -- words ---------------------------------------------------------------------------------------

    def report(self) -> Overfit:
        """The part of the report."""
        batch = "changing" if self.run.batch == "looking" else self.run.batch
        return Overfit(
            outcome=self.outcome,  # type: ignore[arg-type]
            text=self.text(),
            batch=batch,  # type: ignore[arg-type]
            passes=len(self.values),
            loss=self.name,
            start=self.start if self.values else None,
            end=self.end if self.values else None,
            guess=self.guess,
            uniform=self.uniform,
            floor=self.floor,
            right=self.right,
            least_moved=dict(list(self.modules.items())[:3]),
        )

    def text(self) -> str:
        """All of it in a sentence."""
        if not self.values:
            return f"Nothing can be said: {self.unknown}."
        how = _HOW.get(self.run.batch, "On batches that change")
        return f"{how}, {self.went()}: {self.verdict()}."

    def went(self) -> str:
        """What the loss did, and what a constant guess reaches."""
        what = self.name or "the loss"
        equal = "" if self.uniform is None else f"; equal probabilities reach {self.uniform:.4g}"
        if self.classes and self.uniform is not None and math.isclose(self.uniform, math.log(self.classes)):
            equal = f"; ln {self.classes} is {self.uniform:.4g}"
        level = (
            "what a guess that ignores the input reaches is not known for this loss"
            if self.guess is None
            else f"a guess that ignores the input reaches {self.guess:.4g}{equal}"
        )
        return f"{what} went from {self.start:.4g} to {self.end:.4g} in {self.steps} steps ({level})"

    def verdict(self) -> str:
        """What follows from the numbers."""
        right = "" if self.right is None else f", with {self.right:.0%} of the samples in their class"
        chance = ", but random numbers (dropout, noise) may keep it from that" if self.run.noise else ""
        stuck = "it stays there" if self.left < _UNMOVED else "it does not fall"
        if self.calls and self.left >= _UNMOVED:
            stuck = "the model knows no more than that guess"
        return {
            "memorised": f"the model has memorised the batch{right}, so it can learn",
            "falling": f"not memorised yet, but still falling; at this pace it takes {self.more} more steps",
            "diverged": "it is not finite any more",
            "unknown": self.unknown or "there were too few backward passes with this batch to judge by",
            "partly": f"a part of it is learned{right}{chance}",
        }.get(self.outcome, f"not memorised{right}; {stuck}")


_HOW = {
    "loader": "With every DataLoader repeating its first batch",
    "held": "With the first batch held at every pass",
    "same": "On the same data at every pass, as the script reads it",
}


def memorising(graph: Graph) -> Memorising | None:
    """What a run of ``--overfit`` says; None for any other run."""
    return None if graph.trace.overfit is None else Memorising(graph, graph.trace.overfit)
