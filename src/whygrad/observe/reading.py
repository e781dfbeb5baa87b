"""What only the source can tell of a run: containers, defaults, steps that never ran, statements without effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from whygrad import trace as t
from whygrad.observe.defaults import Defaults
from whygrad.observe.loops import Loops
from whygrad.observe.optimizers import Known
from whygrad.observe.source import assignments, bindings, idle_statements, item_assignments, unreached_steps

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation


def bound(seen: Observation) -> dict[int, tuple[int, ...]]:
    """For every hidden tensor, the lines that put its container into its module, and things into the container."""
    stacks = seen.recorder.stacks
    files = stacks.user_files()
    known: dict[tuple[str, str], tuple[int, ...]] = {}
    found: dict[int, tuple[int, ...]] = {}
    for entry in seen.recorder.params.entries:
        key = (entry.holder.rpartition(".")[2], entry.attribute)
        if not entry.hidden:
            continue
        if key not in known:
            lines = [(file, line) for file in files for line in bindings(stacks.trees[file], *key)]
            lines = lines or [
                (file, line) for file in files for line in assignments(stacks.trees[file], key[1])
            ]
            known[key] = tuple([stacks.place(file, line, key[0]) for file, line in lines])
        found[entry.index] = known[key]
    return found


def frozen_by_default(seen: Observation) -> dict[int, int]:
    """For frozen parameters, the frame of the argument's default that decided it, where the source tells. The function
    that has the default must have made the parameter too: one that freezes what it is given was called to do that."""
    stacks = seen.recorder.stacks
    defaults = Defaults(stacks)
    known: dict[int, tuple[str, int, int] | None] = {}
    found: dict[int, int] = {}
    for entry in seen.recorder.params.entries:
        where = entry.flips[-1].stack if entry.flips else entry.created
        if entry.requires_grad or entry.role != "parameter" or where < 0:
            continue
        if where not in known:
            places = [(c.co_filename, line) for c, line in map(stacks.place_of, stacks.stacks[where])]
            known[where] = defaults.deciding(places)
        decided = known[where]
        if decided is not None and stacks.made_inside(entry.created, where, decided[2]):
            found[entry.index] = stacks.place(decided[0], decided[1], "")
    return found


def unreached(seen: Observation, names_of: Callable[[Observation, Known], set[str]]) -> list[t.Unreached]:
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
        names = names_of(seen, known) or {"optimizer", "optim", "opt"}
        for frame in stacks.stacks[where] if where >= 0 else ():
            code, line = stacks.place_of(frame)
            for missed in unreached_steps(stacks.trees[code.co_filename], line, names)[:1]:
                step = stacks.place(code.co_filename, missed.line, code.co_name)
                guard = stacks.place(code.co_filename, missed.guard, code.co_name) if missed.guard else -1
                found.append(t.Unreached(known.index, step, guard, missed.text))
                break
            if found and found[-1].optimizer == known.index:
                break
    return found


def without_effect(seen: Observation) -> list[t.Event]:
    """Statements that were to set ``requires_grad`` and do not: assignments to misspelt attributes that were found on
    parameters, and comparisons and uncalled methods where parameters are frozen."""
    recorder, stacks = seen.recorder, seen.recorder.stacks
    places: list[tuple[str, str, int, tuple[int, ...]]] = []
    for attribute in sorted({a for e in recorder.params.entries for a in e.odd}):
        params = tuple(e.index for e in recorder.params.entries if attribute in e.odd)
        for file in stacks.user_files():
            places += [(attribute, file, line, params) for line in assignments(stacks.trees[file], attribute)]
    frozen = tuple(e.index for e in recorder.params.entries if not e.requires_grad and e.role == "parameter")
    for file in stacks.user_files() if frozen else ():
        places += [
            (text, file, line, frozen) for line, text in idle_statements(stacks.trees[file], "requires_grad")
        ]
    return [
        t.Event(
            recorder.tick,
            recorder.step,
            "odd-attribute",
            stacks.intern((stacks.place(file, line, ""),)),
            params,
            data={"name": name},
        )
        for name, file, line, params in places
    ]


def rates_by_hand(seen: Observation) -> list[t.Event]:
    """Where the source sets ``group["lr"]``, if learning rates changed, or were zero, without a scheduler's doing."""
    recorder, stacks = seen.recorder, seen.recorder.stacks
    scheduled = {e.optimizer for e in recorder.events if e.kind == "scheduler-step"}
    rates: dict[int, set[tuple[float, ...]]] = {}
    for step in recorder.steps:
        if step.optimizer not in scheduled:
            rates.setdefault(step.optimizer, set()).add(step.lrs)
    if not any(len(r) > 1 or any(0.0 in lrs for lrs in r) for r in rates.values()):
        return []
    return [
        t.Event(recorder.tick, recorder.step, "rate-set", stacks.intern((stacks.place(file, line, ""),)))
        for file in stacks.user_files()
        for line in item_assignments(stacks.trees[file], "lr")
    ]


def in_loops(seen: Observation, events: list[t.Event]) -> list[t.Event]:
    """The same events; those of schedulers say in how many loops they run that do not go round the optimizer's making."""
    loops = Loops(seen.recorder.stacks)
    known: dict[tuple[int, int], int] = {}
    found = []
    for event in events:
        if event.kind == "scheduler-step":
            key = (event.stack, seen.optimizers.known[event.optimizer].created)
            if key not in known:
                known[key] = loops.beyond(*key)
            found.append(msgspec.structs.replace(event, data={**event.data, "loops": known[key]}))
        else:
            found.append(event)
    return found
