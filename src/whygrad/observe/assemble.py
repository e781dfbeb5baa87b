"""From what the observer holds to the trace: plain numbers, names and places."""

from __future__ import annotations

from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from whygrad import trace as t
from whygrad.observe.environment import environment
from whygrad.observe.optimizers import Known
from whygrad.observe.ownership import scopes
from whygrad.observe.parameters import Tracked
from whygrad.observe.source import assignments, unreached_steps

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
    """The trace of everything observed so far."""
    recorder = seen.recorder
    named = _unique_names(recorder.params.entries)
    params = tuple([_param(seen, e, n) for e, n in zip(recorder.params.entries, named, strict=True)])
    unreached = _guarded(seen, "steps that never ran", lambda: _unreached(seen))
    raised = _raised(seen, error)
    odd = _guarded(seen, "misspelt attributes", lambda: _odd_events(seen))
    cwd = str(Path.cwd())
    events = [*recorder.finished_events(), *odd]
    optimizers = tuple([_optimizer(seen, k) for k in seen.optimizers.known])
    return t.Trace(
        script=script,
        argv=argv,
        environment=environment(),
        ended=ended,
        seconds=seconds,
        frames=recorder.stacks.records(cwd),
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
        unreached=tuple(unreached),
        raised=raised,
        problems=seen.problems.sentences(),
        exit_status=status,
        cwd=cwd,
        seen_ops=recorder.seen_ops,
    )


def _guarded(seen: Observation, what: str, make: Any) -> list[Any]:
    try:
        return list(make())
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


def _param(seen: Observation, entry: Tracked, name: str) -> t.Param:
    first, last = entry.first, entry.last
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
            elif hasattr(value, "__dict__") and not isinstance(value, type):
                names |= {k for k, v in list(vars(value).items())[:200] if v is thing}
    return names


def _unreached(seen: Observation) -> list[t.Unreached]:
    """For each optimizer that never stepped though backward ran: where its ``step()`` stands in the source."""
    stacks = seen.recorder.stacks
    tried = {s.optimizer for s in seen.recorder.steps}
    found: list[t.Unreached] = []
    if not seen.recorder.backwards:
        return found
    where = seen.recorder.backwards[-1].stack
    for known in seen.optimizers.known:
        if known.index in tried:
            continue
        names = _optimizer_names(seen, known) or {"optimizer", "optim", "opt"}
        for frame in stacks.stacks[where] if where >= 0 else ():
            code, line = stacks.place_of(frame)
            for missed in unreached_steps(code.co_filename, line, names)[:1]:
                step = stacks.place(code.co_filename, missed.line, code.co_name)
                guard = stacks.place(code.co_filename, missed.guard, code.co_name) if missed.guard else -1
                found.append(t.Unreached(known.index, step, guard, missed.text))
                break
            if found and found[-1].optimizer == known.index:
                break
    return found


def _odd_events(seen: Observation) -> list[t.Event]:
    """Assignments in the source to misspelt attributes that were found on parameters."""
    stacks = seen.recorder.stacks
    events = []
    for attribute in sorted({a for e in seen.recorder.params.entries for a in e.odd}):
        params = tuple(e.index for e in seen.recorder.params.entries if attribute in e.odd)
        for file in stacks.user_files():
            for line in assignments(file, attribute):
                stack = stacks.intern((stacks.place(file, line, ""),))
                events.append(
                    t.Event(
                        seen.recorder.tick,
                        seen.recorder.step,
                        "odd-attribute",
                        stack,
                        params,
                        data={"name": attribute},
                    )
                )
    return events


def _raised(seen: Observation, error: BaseException | None) -> t.Raised | None:
    if error is None:
        return None
    stacks = seen.recorder.stacks
    frames = []
    link = error.__traceback__
    while link is not None:
        frames.append(stacks.at(link.tb_frame.f_code, link.tb_lasti, link.tb_lineno))
        link = link.tb_next
    stack = stacks.intern(tuple([f for f in reversed(frames) if f >= 0]))
    return t.Raised(type(error).__name__, str(error), stack)
