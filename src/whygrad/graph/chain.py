"""Pure questions over a trace, in the terms of the chain: for each parameter the first broken link.

A :class:`Graph` is what a rule gets. It answers from the three parts of the record: ``flow`` (the value graph),
``gradients`` (the autograd graph) and ``updates`` (optimizers and steps), and it makes findings' places and paths.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.cutting import cut_parameters
from whygrad.graph.deposits import Deposits
from whygrad.graph.flow import Flow
from whygrad.graph.gradients import Gradients, Loss
from whygrad.graph.routes import seen, step
from whygrad.graph.succession import stale
from whygrad.graph.updates import Updates
from whygrad.graph.vanishing import Vanished, lost_groups

NOT_JUDGED = "not judged"

K = TypeVar("K", bound=Hashable)


class Graph:
    """One trace with its indexes. Built once, shared by all rules; every answer is computed on first use."""

    def __init__(self, trace: t.Trace) -> None:
        self.trace = trace
        self.flow = Flow(trace)
        self.gradients = Gradients(trace)
        self.updates = Updates(trace)

    # -- the chain -----------------------------------------------------------------------------------

    @cached_property
    def broken(self) -> list[int | None]:
        """For every entry of ``trace.params``: its first broken link, 0 for frozen, -1 for not judged, None: trains."""
        return [self._judge(index, param) for index, param in enumerate(self.trace.params)]

    def verdicts(self) -> list[tuple[int | None, str]]:
        """For every entry of ``trace.params``: broken link (None: none) and the verdict's word."""
        words = {0: "frozen", -1: NOT_JUDGED}
        return [
            (None, "trains" if b is None else words[b]) if b is None or b < 1 else (b, f.LINKS[b])
            for b in self.broken
        ]

    @cached_property
    def cut(self) -> list[tuple[int, int, list[tuple[str, int]]]]:
        """Parameters whose path to the loss is cut, with the cuts by kind (see ``cutting.cut_parameters``)."""
        return list(cut_parameters(self))

    @cached_property
    def vanished(self) -> list[Vanished]:
        """Parameters whose gradient is zero or not finite, by what made it so (see ``vanishing``)."""
        return lost_groups(self)

    @cached_property
    def deposits(self) -> Deposits:
        """Which backward passes each gradient was made of (see ``deposits``)."""
        return Deposits(self)

    def sick(self, *links: int) -> list[int]:
        """Parameters whose first broken link is one of ``links``."""
        return [i for i, b in enumerate(self.broken) if b in links and b is not None]

    def _judge(self, index: int, param: t.Param) -> int | None:
        held = index in self.updates.holders
        if param.role == "buffer" or (not param.named and not held) or self._passing(index, param):
            return -1
        if self.updates.unmeasured(index):
            return -1
        if self.updates.overwritten(index):
            return 9
        if self.updates.written_by_hand(index) or self._gradient_by_hand(index):
            return None
        if not param.requires_grad and not self._lately(index):
            return 0
        if self.updates.trained(index) and not self._only_zeros(index):
            return None
        if held:
            return self._judge_held(index, param)
        return self._judge_unheld(index, param)

    def _only_zeros(self, index: int) -> bool:
        """Whether every pass brought zeros, so that what a step found was rounding noise."""
        passes = self.gradients.of.get(index)
        return (
            bool(passes) and not self.gradients.good(index) and not self.updates.touching("grad-set", index)
        )

    def _passing(self, index: int, param: t.Param) -> bool:
        """A leaf tensor of no model and no optimizer, such as an input that requires grad."""
        return (
            param.role == "tensor"
            and not param.hidden
            and index not in self.updates.holders
            and (not param.registered and self.updates.has_optimizer())
        )

    def _gradient_by_hand(self, index: int) -> bool:
        """User code put gradients there itself and the parameter changed: trained by means of its own."""
        rows = [r for _, r in self.updates.rows.get(index, ())]
        sets = [e for e in self.updates.touching("grad-set", index) if e.data.get("op") == "assigned"]
        return bool(sets) and any(self.updates.moved(r) for r in rows)

    def _lately(self, index: int) -> bool:
        """Whether one of the last passes still brought a gradient (a parameter frozen only for now)."""
        passes = self.gradients.of.get(index, [])
        return (
            bool(passes) and passes[-1][0] >= len(self.trace.backwards) - 4 and len(self.trace.backwards) > 4
        )

    def _judge_held(self, index: int, param: t.Param) -> int | None:
        if self.stale(index):
            return 8
        if (
            index not in self.flow.used
            and not self.gradients.of.get(index)
            and not self._grads_at_steps(index)
        ):
            return 3 if self._watched() else -1
        if self._grads_at_steps(index) and not self._only_zeros(index):
            return 9
        good = self.gradients.good(index)
        steps = self.updates.rows.get(index)
        if good and len(good) >= (len(self.gradients.of[index]) + 1) // 2:
            if not steps:
                blind = any(self.trace.optimizers[o].steps for o, _ in self.updates.holders[index])
                return (
                    -1
                    if blind or self._too_early()
                    else 7
                    if self._guarded(index) or self.skipped(index)
                    else 8
                )
            return 7
        return self._judge_gradient(index)

    def _judge_gradient(self, index: int) -> int:
        """No usable gradient: lost by value, by autograd, or on the way back."""
        if self.gradients.of.get(index):
            return 6
        if not self._watched():
            return -1
        reached = self.gradients.reached.get(index, [])
        if any(self.trace.backwards[b].raised for b in reached):
            return -1  # on its way when autograd raised: that is another story
        if reached or self.flow.by_value.get(index):
            return 5
        if not self.trace.backwards:
            return 5 if self.flow.live_downstream(index)[1] else -1
        return 4

    def _judge_unheld(self, index: int, param: t.Param) -> int | None:
        if not self.trace.backwards:
            return -1
        good = len(self.gradients.good(index))
        if not good or 2 * good < len(self.trace.backwards) / max(1, self._losses_apart()):
            if param.hidden and param.requires_grad and not self.updates.has_optimizer():
                return -1
            return -1
        if self.updates.touching("write", index) or self._gradient_lent(index):
            return -1 if self.updates.has_optimizer() else 8
        others = self.updates.has_optimizer() or any(
            self.updates.written_by_hand(i) for i in range(len(self.trace.params)) if i != index
        )
        if others and (param.hidden or (not param.registered and param.role == "tensor")):
            return 1
        if not self.updates.has_optimizer():
            return 8
        return 8 if self.wants_training(index) else -1

    def _gradient_lent(self, index: int) -> bool:
        """Whether its gradient was read, and something else than an optimizer may have been done with it: given to
        another parameter, or used for a tensor of no model (an input that is to be changed)."""
        if not self.updates.touching("grad-read", index):
            return False
        given = any(e.data.get("op") == "assigned" for e in self.updates.events.get("grad-set", ()))
        return given or self.trace.params[index].role != "parameter"

    def _losses_apart(self) -> int:
        """How many places call backward (a GAN has two: each parameter needs only one of them)."""
        return len({b.stack for b in self.trace.backwards})

    def _watched(self) -> bool:
        """Whether enough was seen to miss something: not in a script that raised in its first forward pass."""
        return bool(self.trace.ops) and (bool(self.trace.backwards) or self.trace.raised is None)

    def _too_early(self) -> bool:
        return len(self.trace.backwards) < 4 and self.trace.ended in (
            "running",
            "interrupted",
            "raised",
            "exit",
        )

    def _grads_at_steps(self, index: int) -> bool:
        """Whether the steps found usable gradients, yet did not change the parameter (or it was not measured)."""
        rows = [r for _, r in self.updates.rows.get(index, ())]
        return any(
            r.grad is not None and r.grad > 0 and math.isfinite(r.grad) for r in rows[len(rows) // 2 :]
        )

    def _guarded(self, index: int) -> bool:
        held = {o for o, _ in self.updates.holders[index]}
        return any(u.optimizer in held and u.guard >= 0 for u in self.trace.unreached)

    def skipped(self, index: int) -> bool:
        """Whether a GradScaler left out steps of this parameter."""
        return any(s.skipped and any(r.param == index for r in s.params) for s in self.trace.steps)

    # -- kinds of parameters ---------------------------------------------------------------------------

    def stale(self, index: int) -> bool:
        """Held by an optimizer, but no longer the parameter of that name: another one has taken its place."""
        return stale(self, index)

    def wants_training(self, index: int) -> bool:
        """Whether a parameter outside every optimizer looks meant to train: at random initialisation (itself or its
        module's other parameters, or at zero beside others that an optimizer holds), in training mode, no copy of
        another one, nothing loaded into it."""
        param = self.trace.params[index]
        checked = self.trace.learning.checked
        if checked is not None and not checked.of_step and param.requires_grad and param.registered:
            return True  # a check of this model was asked for
        if not param.requires_grad or not param.training or param.origin & (t.LOADED | t.PARAMETER):
            return False
        family = param.fqn.rpartition(".")[0]
        kin = [p for p in self.trace.params if p.fqn.rpartition(".")[0] == family and p.root == param.root]
        if any(p.origin & t.RANDOM and not p.origin & t.LOADED for p in kin):
            return True
        around = family.rpartition(".")[0] + "."
        return bool(param.origin & t.ZEROS) and any(
            self.trace.params[i].root == param.root and self.trace.params[i].fqn.startswith(around)
            for i in self.updates.holders
        )

    @cached_property
    def unheld_ones(self) -> list[tuple[int, t.Param]]:
        """The parameters that no optimizer holds, with their index."""
        return [(i, p) for i, p in enumerate(self.trace.params) if i not in self.updates.holders]

    def unheld(self, index: int) -> bool:
        """Whether a parameter gets usable gradients and no optimizer has it."""
        return index not in self.updates.holders and self.broken[index] == 8

    def at_random(self, index: int) -> bool:
        """Whether a parameter still has the values of a random initialisation (nothing loaded, nothing trained)."""
        origin = self.trace.params[index].origin
        return bool(origin & t.RANDOM) and not origin & (t.LOADED | t.PARAMETER)

    def lost(self, index: int) -> list[Loss]:
        """Where the gradient of a parameter was lost, in the last pass that tells; for one that was not finite in the
        first such pass, since everything is spoilt afterwards."""
        passes = self.gradients.reached.get(index, [])
        bad = [b for b, g in self.gradients.of.get(index, ()) if not math.isfinite(g.peak)]
        for backward in [*bad[:1], *reversed(passes)]:
            found = self.gradients.losses(index, backward) if self.trace.backwards[backward].nodes else []
            if found:
                return found
        return []

    # -- places and words --------------------------------------------------------------------------------

    def site(self, frame: int, role: str = "", statement: bool = False) -> f.Site:
        """A frame as a place in a finding; ``statement``: the first line of its statement."""
        own = self.trace.frames[frame]
        line = own.statement if statement and own.statement else own.line
        return f.Site(own.file, line, own.function, own.code if line == own.line else "", role)

    def sites(
        self, stack: int, role: str = "", callers: int = 2, statement: bool = False
    ) -> tuple[f.Site, ...]:
        """A stack as places: the innermost with ``role``, then its callers."""
        if stack < 0:
            return ()
        frames = self.trace.stacks[stack][: callers + 1]
        places = [self.site(n, role if i == 0 else "caller", statement) for i, n in enumerate(frames)]
        return distinct(places)

    def statement(self, stack: int) -> tuple[str, int]:
        """File and first line of the statement in which a stack's innermost place lies; ("", 0) for no stack."""
        if stack < 0:
            return "", 0
        frame = self.trace.frames[self.trace.stacks[stack][0]]
        return frame.file, frame.statement or frame.line

    def op_sites(self, op: int, role: str, callers: int = 1) -> tuple[f.Site, ...]:
        """The places of an operation."""
        return self.sites(self.flow.kind(op).stack, role, callers)

    def names(self, indices: Iterable[int]) -> tuple[str, ...]:
        """Names of parameters, in the model's order, each once."""
        return tuple(dict.fromkeys(self.trace.params[i].fqn for i in sorted(set(indices))))

    def path(self, index: int, through: int = -1, backward: int | None = None) -> tuple[f.Step, ...]:
        """The stations from a parameter to the loss, with where autograd lets go of it (at ``through``)."""
        passes = self.flow.by_value.get(index) or []
        if through >= 0:
            outs = self.trace.ops[through].outs
            passes = [p for p in passes if not self.flow.loss_histories[p].isdisjoint(outs)] or passes
        which = backward if backward is not None else (passes[-1] if passes else -1)
        if which < 0:
            return ()
        there = seen(self, which)
        state: f.StepState = "ok"
        steps = list[f.Step | None]()
        for op in self.flow.route(index, which, through):
            steps.append(step(self, op, "cut" if op == through else state, there.get(op)))
            if op == through:
                state = "lost"
        return tuple(one for one in steps if one is not None)

    def label(self, op: int) -> str:
        """An operation's name as the user writes it."""
        return self.flow.kind(op).name.strip("_").removeprefix("torch.")

    def numel(self, indices: Iterable[int]) -> int:
        """Number of elements of some parameters."""
        return sum(math.prod(self.trace.params[i].shape) for i in set(indices))

    def _counts(self, index: int, param: t.Param) -> bool:
        """Whether a parameter is part of the training: held by an optimizer, or of a model that is still there."""
        in_use = param.alive or index in self.gradients.reached
        return index in self.updates.holders or (param.named and param.role == "parameter" and in_use)

    def count(self, indices: Iterable[int]) -> str:
        """``4 of 12 parameters``: how many of the model's trainable-looking parameters these are."""
        own = len(self.names(indices))
        total = len({p.fqn for i, p in enumerate(self.trace.params) if self._counts(i, p)})
        return f"{own} of {max(own, total)} parameters"


def distinct(places: Iterable[f.Site]) -> tuple[f.Site, ...]:
    """Places without repeats of the same line; the first role wins."""
    found: dict[tuple[str, int], f.Site] = {}
    for place in places:
        found.setdefault((place.file, place.line), place)
    return tuple(found.values())


def group(items: Iterable[tuple[K, int]]) -> Iterator[tuple[K, list[int]]]:
    """Parameters by what stopped them, in order of first appearance."""
    found: dict[K, list[int]] = {}
    for key, index in items:
        found.setdefault(key, []).append(index)
    yield from found.items()
