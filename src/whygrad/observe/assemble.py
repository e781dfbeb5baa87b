"""From what the observer holds to the trace: plain numbers, names and places."""

from __future__ import annotations

from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any

from whygrad import trace as t
from whygrad.observe import reading
from whygrad.observe.containers import attributes
from whygrad.observe.environment import environment
from whygrad.observe.modules import arrival
from whygrad.observe.optimizers import Known
from whygrad.observe.parameters import Tracked
from whygrad.observe.variables import scopes

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation


def assemble(
    seen: Observation,
    script: str,
    argv: tuple[str, ...],
    ended: str,
    error: BaseException | None,
    status: int,
    seconds: float,
) -> t.Trace:
    """The trace of everything observed so far.

    While the script runs (a copy for the case that it is killed) nothing is looked up in its source: that takes long."""
    recorder = seen.recorder
    over = ended != "running"
    named = _unique_names(recorder.params.entries)
    frozen = dict(
        _guarded(seen, "what froze parameters", lambda: reading.frozen_by_default(seen).items(), over)
    )
    bound = dict(_guarded(seen, "containers of parameters", lambda: reading.bound(seen).items(), over))
    params = tuple(
        [
            _param(seen, e, n, bound.get(e.index, ()), frozen.get(e.index, -1))
            for e, n in zip(recorder.params.entries, named, strict=True)
        ]
    )
    unreached = _guarded(
        seen, "steps that never ran", lambda: reading.unreached(seen, _optimizer_names), over
    )
    raised = seen.backwards.raising.raised(error, seen.optimizers)
    odd = _guarded(seen, "misspelt attributes", lambda: reading.without_effect(seen), over)
    happened = recorder.finished_events()
    counted = _guarded(seen, "loops", lambda: reading.in_loops(seen, happened), over)
    by_hand = _guarded(seen, "learning rates set by hand", lambda: reading.rates_by_hand(seen), over)
    events = [*(counted or happened), *odd, *by_hand]
    optimizers = tuple([_optimizer(seen, k) for k in seen.optimizers.known])
    return t.Trace(
        script=script,
        argv=argv,
        environment=environment(),
        ended=ended,
        seconds=seconds,
        frames=recorder.stacks.records(seen.cwd),
        stacks=tuple(recorder.stacks.stacks),
        params=params,
        optimizers=optimizers,
        kinds=tuple(recorder.kinds),
        ops=tuple(recorder.ops),
        values=tuple(recorder.values.records),
        backwards=tuple(recorder.backwards),
        steps=tuple(recorder.steps),
        events=tuple(events),
        probes=tuple(recorder.probes),
        censuses=tuple(recorder.censuses),
        unreached=tuple(unreached),
        raised=raised,
        problems=seen.problems.sentences(),
        exit_status=status,
        cwd=seen.cwd,
        seen_ops=recorder.seen_ops,
        hand_steps=seen.until.hand_steps,
        learning=seen.watchers.facts(),
        overfit=None if seen.overfitting is None else seen.overfitting.record(),
    )


def _guarded(seen: Observation, what: str, make: Any, wanted: bool = True) -> list[Any]:
    try:
        return list(make()) if wanted else []
    except Exception as error:
        seen.problems.failed(what, error)
        return []


def _unique_names(entries: list[Tracked]) -> list[str]:
    """Display names: the fully qualified name alone where only one model has it, with the model's name otherwise."""
    roots: dict[str, set[str]] = {}
    for entry in entries:
        if entry.fqn and entry.root:
            roots.setdefault(entry.fqn, set()).add(entry.root)
    names = []
    for entry in entries:
        several = len(roots.get(entry.fqn, ())) > 1 and entry.root
        names.append(f"{entry.root}.{entry.fqn}" if several else entry.fqn)
    return names


def _param(seen: Observation, entry: Tracked, name: str, bound: tuple[int, ...], frozen: int) -> t.Param:
    first, last = entry.first, entry.last
    late, brought = arrival(entry.placed, seen.recorder.stacks) if entry.placed else (False, False)
    shape = "x".join(map(str, entry.shape)) or "scalar"
    return t.Param(
        fqn=name or f"{entry.role} {shape} #{entry.index}",
        role=entry.role,
        root=entry.root,
        owner=entry.module_class,
        shape=entry.shape,
        dtype=entry.dtype,
        requires_grad=entry.requires_grad,
        leaf=entry.leaf,
        registered=entry.registered,
        hidden=entry.hidden,
        alive=entry.ref() is not None,
        live_name=entry.live_name,
        created=entry.created,
        created_tick=entry.tick,
        assigned=_assigned(seen, entry),
        frozen_by_default=frozen,
        late=entry.late or late,
        brought=brought,
        container=entry.container if entry.hidden else "",
        bound=bound,
        written=entry.written,
        written_by=entry.written_by,
        origin=entry.note.origin,
        flips=tuple(entry.flips),
        first=(first.norm, first.peak) if first else None,
        last=(last.norm, last.peak) if last else None,
        changed=first is not None and last is not None and first.checksum != last.checksum,
        norm_layer=entry.norm_layer,
        training=entry.training,
        odd_attributes=entry.odd,
        aliases=entry.aliases,
        value=entry.note.vid,
        named=bool(name),
    )


def _assigned(seen: Observation, entry: Tracked) -> int:
    """Where it was put into its owner; for a hidden one, the line of the owner's method in its creation stack."""
    stacks = seen.recorder.stacks
    made = entry.created if entry.created >= 0 else entry.note.created
    if not entry.hidden or made < 0:
        return entry.assigned
    for frame in stacks.stacks[made]:
        code = stacks.code_of(frame)
        qualified = getattr(code, "co_qualname", "")
        if qualified.startswith(f"{entry.holder}.") or (not qualified and code.co_name == "__init__"):
            return stacks.intern((frame,))
    return made


def _optimizer(seen: Observation, known: Known) -> t.Optimizer:
    names = sorted(_optimizer_names(seen, known), key=lambda n: (len(n), n))
    return t.Optimizer(
        known.kind, names[0] if names else "", known.created, known.tick, known.groups, known.steps
    )


def _optimizer_names(seen: Observation, known: Known) -> set[str]:
    optimizer = known.ref()
    names = set(seen.optimizer_names.get(known.index, ()))
    if optimizer is not None:
        names |= variable_names(optimizer, None)
    return names


def variable_names(thing: Any, frame: FrameType | None) -> set[str]:
    """Names under which the script's variables, or attributes of its objects, hold ``thing``."""
    names = set()
    for scope in scopes(frame, methods=True):
        for name, value in list(scope.items()):
            if value is thing and name != "self":
                names.add(name)
            else:
                names |= {k for k, v in islice(attributes(value).items(), 200) if v is thing}
    return names
