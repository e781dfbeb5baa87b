"""Do the ranks keep step? Numbers of batches, steps and collective calls, and where each rank is when another one waits."""

from __future__ import annotations

import re
from typing import NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across
from whygrad.graph.chain import distinct

_THROUGH = ("end", "exit")
#: What the backends say where another rank is gone.
_LOST = re.compile(r"connection (was )?(closed|reset)|time(d )?out|broken pipe", re.IGNORECASE)


class Stumble(NamedTuple):
    """A title, the places, the numbers behind it, what to do, and whether it has happened (or only will)."""

    title: str
    sites: tuple[f.Site, ...]
    evidence: dict[str, object]
    fix: str
    happened: bool


def lengths(across: Across) -> Stumble | None:
    """Loaders of different lengths that every rank will go through to their ends, in step with the others."""
    own = [next((r for r in d.readings if r.grad and r.batches), None) for d in across.facts]
    readings = [r for r in own if r is not None]
    if len(readings) < len(own) or any(r.length <= 0 or not r.whole for r in readings) or _joined(across):
        return None
    counts = [r.length for r in readings]
    if len(set(counts)) == 1 or not any(map(across.bound, across.shared)):
        return None
    short, long = counts.index(min(counts)), counts.index(max(counts))
    ranks = [d.rank for d in across.facts]
    made = [[r.sampler.made, r.loader] if r.sampler is not None else [r.loader] for r in readings]
    return Stumble(
        f"Rank {ranks[long]} goes through {counts[long]} batches an epoch, rank {ranks[short]} through {counts[short]}: "
        f"in batch {counts[short]} it will wait for gradients that do not come",
        distinct([
            *across.on_some(made, "loader", 0),
            *across.sites(0, made[0], "as many batches as its rank has", 0),
            *across.sites(0, [readings[0].stack], "loop over all batches", 0),
        ])[:3],
        {"batches": counts},
        _EVEN,
        False,
    )  # fmt: skip


_EVEN = (
    "Give every rank the same number of batches (DistributedSampler does, drop_last helps), or train inside "
    "torch.distributed.algorithms.join.Join([model])."
)


def _joined(across: Across) -> bool:
    return any(w.joined for d in across.facts for w in d.wrappers)


def finished_early(across: Across) -> Stumble | None:
    """A rank that was through with its script while others were still to take steps with it."""
    traces, ranks = across.traces, [d.rank for d in across.facts]
    steps = [trace.step_count() for trace in traces]
    through = [i for i, trace in enumerate(traces) if trace.ended in _THROUGH]
    waiting = [i for i, trace in enumerate(traces) if _torn(trace)]
    if not through or not waiting or _joined(across) or steps[waiting[0]] < steps[through[0]]:
        return None
    first, late = through[0], waiting[0]
    return Stumble(
        f"Rank {ranks[first]} is through after {steps[first]} steps, while rank {ranks[late]} waits for it after "
        f"{steps[late]}",
        distinct([*_shared_out(across), *_stands(across, late)])[:3],
        {"steps": steps, "backward_passes": [len(trace.backwards) for trace in traces]},
        _EVEN,
        True,
    )


def _shared_out(across: Across) -> list[f.Site]:
    """What decides how many batches a rank has: its loader, its share of the data, the loop."""
    made = [[r.loader for r in d.readings if r.grad] for d in across.facts]
    facts, trace = across.facts[0], across.traces[0]
    found = [*across.on_some(made, "loader", 0), *across.sites(0, made[0][:1], "loader", 0)]
    found += across.sites(0, facts.said.shares[:1], "share of the data", 0)
    found += across.sites(0, [r.stack for r in facts.readings if r.grad][:1], "loop over all batches", 0)
    if not made[0] and trace.backwards:
        stack = trace.backwards[-1].stack
        around = [a for p in trace.learning.places if p.stack == stack for a in p.around if a.kind != "if"]
        found += [f.Site(a.file, a.line, "", "", "loop") for a in around[-1:]]
    return found


def _stands(across: Across, rank: int) -> tuple[f.Site, ...]:
    """Where a rank waits, or was last seen."""
    trace, word = across.traces[rank], f"rank {across.facts[rank].rank} waits here"
    if trace.learning.standing is not None:
        return across.sites(rank, [trace.learning.standing.stack], word, 0)
    if trace.raised is not None:
        return across.sites(rank, [trace.raised.stack], word, 0)
    return across.sites(rank, [b.stack for b in trace.backwards[-1:]], word, 0)


def _torn(trace: t.Trace) -> bool:
    """Whether a rank raised, or was ended, because another one was gone or did not answer."""
    if trace.raised is None:
        return trace.ended == "hung"
    return bool(_LOST.search(trace.raised.message))


def collectives(across: Across) -> Stumble | None:
    """The first collective that some rank made and another did not, or made as another one."""
    calls = [[c for c in d.collectives if c.world == across.world] for d in across.facts]
    for number, row in enumerate(zip(*calls, strict=False)):
        if len({(c.name, c.count if c.name not in _RAGGED else 0) for c in row}) > 1:
            return _mismatch(across, number, row)
    counts = list(map(len, calls))
    longest, shortest = counts.index(max(counts)), counts.index(min(counts))
    if counts[longest] == counts[shortest]:
        return None
    call = calls[longest][counts[shortest]]
    if call.done or across.traces[shortest].ended not in (*_THROUGH, "hung"):
        return None
    ranks = [d.rank for d in across.facts]
    other = across.traces[shortest]
    last = [b.stack for b in other.backwards[-1:]]
    return Stumble(
        f"Rank {ranks[longest]} waits in {call.name}(), which rank {ranks[shortest]} does not call"
        + (" any more" if other.ended in _THROUGH else ""),
        distinct([
            *across.sites(longest, [call.stack], f"rank {ranks[longest]} waits here"),
            *across.sites(shortest, last, f"rank {ranks[shortest]} was last here", 0),
        ])[:3],
        {"calls": counts},
        f"Call {call.name}() on every rank, or on none.",
        True,
    )  # fmt: skip


#: Collectives in which ranks may take part with different numbers of elements.
_RAGGED = (
    "gather",
    "scatter",
    "broadcast_object_list",
    "gather_object",
    "scatter_object_list",
    "all_gather_object",
)


def broken_off(across: Across) -> Stumble | None:
    """A run that hung, or in which the backend ended a rank, while the source has collectives that not all ranks call."""
    source = next((i for i, d in enumerate(across.facts) if d.said.guarded), 0)
    guarded = across.facts[source].said.guarded
    killed = any(trace.ended == "running" for trace in across.traces)
    torn = [i for i, trace in enumerate(across.traces) if _torn(trace)]
    if not guarded or not torn or (not killed and any(trace.ended in _THROUGH for trace in across.traces)):
        return None
    ranks = [d.rank for d in across.facts]
    return Stumble(
        f"Rank {ranks[torn[0]]} lost the others in a collective call; the source makes others under a condition on the rank",
        distinct([
            *across.sites(source, guarded[:2], "not on every rank", 0),
            *_stands(across, torn[0]),
        ])[:3],
        {"steps": [trace.step_count() for trace in across.traces]},
        "Make collective calls on every rank: gather on all, and print on one.",
        True,
    )  # fmt: skip


def _mismatch(across: Across, number: int, row: tuple[t.Collective, ...]) -> Stumble:
    ranks = [d.rank for d in across.facts]
    other = next(i for i, c in enumerate(row) if (c.name, c.count) != (row[0].name, row[0].count))
    said = [f"{c.name}() of {c.count} elements" if c.count else f"{c.name}()" for c in (row[0], row[other])]
    some = across.on_some([[c.stack] for c in row], "called", 1)
    places = [*across.sites(0, [row[0].stack], f"rank {ranks[0]} is here", 0)]
    places += across.sites(other, [row[other].stack], f"rank {ranks[other]} is here", 0)
    return Stumble(
        f"Collective {number} is {said[0]} on rank {ranks[0]} and {said[1]} on rank {ranks[other]}",
        distinct([*_alone(across), *some, *places])[:3],
        {"number": number, "calls": [c.name for c in row]},
        "Make the same collective calls, in the same order and with the same sizes, on every rank.",
        True,
    )


def _alone(across: Across) -> tuple[f.Site, ...]:
    """Collectives at places that not all ranks come by."""
    return across.on_some([[c.stack for c in d.collectives] for d in across.facts], "called", 0)
