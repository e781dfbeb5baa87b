"""What the monitor hangs into torch: two hooks around the steps of optimizers, and two places where steps are skipped and
gradients clipped. Nothing is called for single operations.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle

from whygrad.monitor.cadence import Cadence
from whygrad.monitor.names import Names
from whygrad.monitor.plan import Block, Noted, Plan, rate_of
from whygrad.monitor.rows import Row
from whygrad.monitor.seen import Seen
from whygrad.monitor.skipping import Skipping
from whygrad.monitor.tracks import MOST, Tracks
from whygrad.monitor.worker import Arriving
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing

_FLUSH = 1.0  #: seconds after which rows are sent on although there is room for more
_NEVER = 2**62
_AGAIN = 100  #: steps after which an optimizer that had nothing of the model is asked again
_FAULTS = 3


class Hooks:
    """Measures the steps of the optimizers that hold parameters of some models.

    ``only``: the optimizers that are meant; None: every one that holds something. ``put`` takes what has arrived;
    ``between`` is called after every step, outside all measuring, and may raise."""

    def __init__(
        self,
        names: Names,
        cadence: Cadence,
        put: Callable[[Arriving], None],
        between: Callable[[], None],
        problems: Problems,
        only: list[Any] | None = None,
        first_step: int = 0,
    ) -> None:
        self.problems = problems
        self.active = True
        self.step = self._first = first_step
        self.tracks = Tracks()
        self.spoilt: set[int] = set()
        #: What is looked at besides where several ranks train together.
        self.looks: Callable[[Plan, Noted, int], None] | None = None
        self._names, self._cadence, self.put, self.between = names, cadence, put, between
        self._only = None if only is None else [weakref.ref(o) for o in only]
        self._seen: dict[int, Seen] = {}
        self._hand: Seen | None = None
        self._measured: int | None = None  #: the last step that was
        self._told_at = first_step  #: the step at which ``told`` was last called
        self._flying: list[Block] = []
        self._flushed = time.monotonic()
        self._loss: Any = None
        self._clip: tuple[Any, float] | None = None
        self._skipping = Skipping(self)
        self._handles: list[RemovableHandle] = []
        self._patches = Patches()

    def install(self) -> None:
        """Begin."""
        self._handles.append(register_optimizer_step_pre_hook(self._before))
        self._handles.append(register_optimizer_step_post_hook(self._after))
        clipping = torch.nn.utils.clip_grad
        self._patches.around(clipping, "_clip_grads_with_norm_", before=self._clipping)
        self._skipping.install(self._patches)

    def remove(self) -> None:
        """End; torch is as it was. Idempotent."""
        self.active = False
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._patches.undo()

    # -- around a step -------------------------------------------------------------------------------

    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self.active:
            return
        seen = self.known(optimizer)
        if seen is None:
            return
        seen.stepping = True
        if seen.count + 1 >= seen.due:
            self._measure(seen, args[1] if len(args) > 1 else kwargs.get("closure"))

    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        seen = self._seen.get(id(optimizer))
        if seen is None or not seen.stepping or not self.active:
            return  # also the outer one of two nested steps, which is no other update
        seen.stepping = False
        seen.count += 1
        self.step = max(self.step, seen.base + seen.count)
        if seen.noted is not None:
            self._finish(seen)
        self.between()

    def known(self, optimizer: Any) -> Seen | None:
        """The entry of an optimizer, made if it is new; None if that failed."""
        seen = self._seen.get(id(optimizer))
        return seen if seen is not None and seen.ref() is optimizer else self._meet(optimizer)

    @guarded("a new optimizer", None)
    def _meet(self, optimizer: Any) -> Seen | None:
        followed = self._forget() | self._shares(optimizer)
        base = self.step if followed or self.step - self._first > 1 else self._first
        seen = self._seen[id(optimizer)] = Seen(weakref.ref(optimizer), base)
        # who makes a new optimizer for every step is not measured more often for that
        if self._measured is not None and self.looks is None:  # ranks agree on the steps by their numbers
            seen.due = max(1, self._measured + self._cadence.every - self.step)
        self._hand = None
        return seen

    def _forget(self) -> bool:
        """Let go of optimizers that are no more: of their parameters, and of their tracks. Whether there were any."""
        dead = [key for key, seen in self._seen.items() if seen.ref() is None]
        for key in dead:
            self._release(self._seen.pop(key))
        return bool(dead)

    def _shares(self, optimizer: Any) -> bool:
        """Whether another optimizer has had a parameter of this one: it takes its place."""
        own = {id(p) for group in getattr(optimizer, "param_groups", ()) for p in group["params"]}
        return any(seen.plan is not None and own.intersection(seen.plan.ids) for seen in self._seen.values())

    def _release(self, seen: Seen) -> None:
        if seen.plan is not None:
            with Quiet():
                self.send(seen.plan, now=True)
            self.tracks.release(seen.plan.track)
            seen.plan = None

    @guarded("an optimizer before its step", None)
    def _measure(self, seen: Seen, closure: Any) -> None:
        seen.noted = None
        if seen.faults >= _FAULTS or torch.compiler.is_compiling() or capturing():
            return
        began = time.perf_counter()
        optimizer = seen.ref()
        with Quiet():
            plan = self.plan_of(seen, optimizer)
            if plan is None:
                seen.due = seen.count + _AGAIN
                return
            self.send(plan)
            seen.faults += 1  # taken back where all goes well
            seen.waits = callable(closure) and not isinstance(closure, (torch.nn.Module, type))
            plan.counting = plan.track.number in self.spoilt
            plan.before()
            row = Row(plan.track.number, 0, time.time(), ())
            if seen.waits:
                seen.noted = Noted(row)
            else:
                seen.noted = self._look(plan, row)
            row.lrs = tuple(rate_of(group.get("lr")) for group in getattr(optimizer, "param_groups", ()))
            for name in ("found_inf", "grad_scale"):
                value = getattr(optimizer, name, None)
                if isinstance(value, torch.Tensor):
                    self._number(plan, seen.noted, name, value)
        seen.faults -= 1
        row.seconds = time.perf_counter() - began  # what it has cost so far

    def _look(self, plan: Plan, row: Row) -> Noted:
        noted = plan.gradients(row)
        if self._clip is not None:
            total, row.max_norm = self._clip
            row.unclipped = plan.scalar("unclipped", total)
            self._clip = None
        if self._loss is not None:
            row.loss, noted.has_loss = plan.scalar("loss", self._loss), True
            self._loss = None
        return noted

    def _number(self, plan: Plan, noted: Noted, name: str, value: torch.Tensor) -> None:
        known = plan.scalar(name, value)
        if known is not None:
            noted.known[name] = known

    @guarded("an optimizer after its step", None)
    def _finish(self, seen: Seen) -> None:
        began = time.perf_counter()
        plan, noted, seen.noted = seen.plan, seen.noted, None
        if plan is None or noted is None:
            return
        row = noted.row
        seen.faults += 1
        with Quiet():
            if seen.waits:
                looked = self._look(plan, row)
                noted.close, noted.has_loss = looked.close, looked.has_loss
            plan.after(noted)
        row.step, row.attempts, row.skipped = self.step, self._skipping.attempts, self._skipping.skipped
        now = time.perf_counter()
        cost = row.seconds + now - began + plan.unseen_seconds
        cadence = self._cadence
        self._measured = self.step
        if seen.base + seen.count == self.step:
            cadence.measured(self.step, now, cost)
        else:
            cadence.other(cost)
        row.every, row.seconds = cadence.every, cadence.seconds
        if self.looks is not None:
            with Quiet():
                self.looks(plan, noted, seen.count)
        seen.faults -= 1
        seen.due = cadence.next(seen.count)

    # -- which parameters ----------------------------------------------------------------------------

    def plan_of(self, seen: Seen, optimizer: Any) -> Plan | None:
        """The plan of an optimizer as it is now; None if it has nothing to do with the models."""
        if self._only is not None and not any(ref() is optimizer for ref in self._only):
            return None
        groups = getattr(optimizer, "param_groups", ())
        held = [
            (p, n) for n, group in enumerate(groups) for p in group["params"] if isinstance(p, torch.Tensor)
        ]
        if seen.plan is not None and seen.plan.ids == [id(p) for p, _ in held]:
            return seen.plan
        if any(self._names.of(p) is None for p, _ in held):
            self._names.renew()
        known = [self._names.of(p) for p, _ in held]
        if not held or (self._only is None and self._names.models and not any(known)):
            return None
        self._release(seen)
        kind = type(optimizer).__name__
        named = [
            (name or f"{kind}[{n}][{i}]", p, n)
            for i, (name, (p, n)) in enumerate(zip(known, held, strict=True))
        ]
        seen.plan = self._new(optimizer, named)
        return seen.plan

    def _new(self, optimizer: Any, named: list[tuple[str, torch.Tensor, int]]) -> Plan | None:
        track = self.tracks.take(optimizer, named)
        if track is None:
            self.problems.add(f"more than {MOST} optimizers: those that come now are not measured")
            return None
        return Plan(track, [p for _, p, _ in named])

    # -- sending on ----------------------------------------------------------------------------------

    def send(self, plan: Plan, now: bool = False) -> None:
        """Send rows on where it is time, and hand over what has arrived."""
        late = time.monotonic() - self._flushed >= _FLUSH
        others = (*self._seen.values(), self._hand) if late else ()
        for one in (plan, *(s.plan for s in others if s is not None and s.plan not in (plan, None))):
            if one is not None and (late or now or one.full):
                block = one.take()
                if block is not None:
                    self._flying.append(block)
        if late:
            self._flushed = time.monotonic()
        while self._flying and self._flying[0].ready():
            self.put(self._flying.pop(0))

    def flush(self) -> None:
        """Send everything on, and wait for it to arrive."""
        with Quiet():
            for seen in (*self._seen.values(), self._hand):
                if seen is not None and seen.plan is not None and (block := seen.plan.take()) is not None:
                    self._flying.append(block)
            while self._flying:
                self._flying[0].wait()
                self.put(self._flying.pop(0))

    def optimizers(self) -> list[Any]:
        """Those that were measured and still exist."""
        return [o for s in self._seen.values() if s.plan is not None and (o := s.ref()) is not None]

    # -- told by the caller --------------------------------------------------------------------------

    @guarded("what step() was given", None)
    def told(self, loss: Any) -> None:
        """``Watch.step``: a loss, and that a step is over where no optimizer of torch's says so."""
        stepped, self._told_at = self.step != self._told_at, self.step
        if not stepped and (self._hand is not None or not self._seen):
            self._by_hand(loss)
            return
        if loss is None:
            return
        for seen in self._seen.values():
            noted = seen.plan.last if seen.plan is not None else None
            if noted is not None and noted.row.step == self.step and not noted.has_loss:
                with Quiet():
                    noted.row.loss, noted.has_loss = seen.plan.scalar("loss", loss), True  # type: ignore[union-attr]
            elif seen.count + 1 >= seen.due:  # it belongs to the step that comes
                self._loss = loss.detach() if isinstance(loss, torch.Tensor) else loss

    def _by_hand(self, loss: Any) -> None:
        """No optimizer of torch's has stepped: compare the parameters from one call to the next. The first call has nothing
        to compare with."""
        seen = self._hand
        if seen is None:
            seen = self._hand = Seen(lambda: None, self._first)
            seen.waits = True
            with Quiet():
                seen.plan = self._new(None, [(name, p, 0) for name, p in self._names.all()])
        seen.count += 1
        self.step = self._told_at = seen.base + seen.count
        if seen.noted is not None and seen.plan is not None:
            self._loss = loss.detach() if isinstance(loss, torch.Tensor) else loss
            self._finish(seen)
        if seen.count + 1 >= seen.due and seen.plan is not None:
            with Quiet():
                self.send(seen.plan)
                seen.plan.before()
            seen.noted = Noted(Row(seen.plan.track.number, 0, time.time(), ()))

    # -- clipping and scaling ------------------------------------------------------------------------

    @guarded("clip_grad_norm_", None)
    def _clipping(self, parameters: Any, max_norm: Any, total_norm: Any, *args: Any, **kwargs: Any) -> None:
        if any(s.count + 1 >= s.due for s in self._seen.values()) or not self._seen:
            self._clip = total_norm, rate_of(max_norm)
