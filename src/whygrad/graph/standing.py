"""Where each of several ranks stood when a run was ended that hung: the clauses and places of a report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whygrad import trace as t
from whygrad.finding import Site
from whygrad.graph.chain import Graph

#: What the backends say on a rank that has lost another in the middle of a call.
_LOST = re.compile(
    r"connection (was )?(closed|reset)|(application|operation|wait) timeout|timed out|broken pipe|collective mismatch",
    re.IGNORECASE,
)
#: What became of ranks that do not wait: of one, of several.
_OVER = {
    "end": ("has ended its script", "have ended their script"),
    "exit": ("has ended its script", "have ended their script"),
    "running": ("was killed", "were killed"),
}
_ENOUGH = ("has seen enough", "have seen enough")


def lost(one: t.Trace) -> bool:
    """Whether a rank raised because another one was not there any more."""
    return one.raised is not None and bool(_LOST.search(one.raised.message))


def sites(one: t.Trace) -> Sequence[Site]:
    """The place where a rank stands, or else the last one of its training that is known."""
    standing = one.learning.standing
    waits = lost(one) or (standing is not None and standing.waits)
    role = f"rank {one.rank} {'waits' if waits else 'stands' if standing is not None else 'was last'} here"
    return Graph(one).sites(_stack(one), role, 0)


def told(one: t.Trace, many: bool = False) -> str:
    """What a rank does (or several, in the same words), as a clause without its subject."""
    site = next(iter(sites(one)), None)
    place = f" at {site.file}:{site.line}" if site is not None else ""
    standing = one.learning.standing
    if standing is not None:
        call = f" in {standing.call}" if standing.call else ""
        return f"{'wait' if standing.waits else 'stand'}{'' if many else 's'}{call}{place}"
    if lost(one):
        return f"waited{place}"
    return f"{_OVER.get(one.ended, _ENOUGH)[many]} after {_count(len(one.backwards), 'backward pass')}"


def side_by_side(ranks: Sequence[t.Trace]) -> dict[str, str]:
    """Of each rank in one line what it does, since when, and how far it came."""
    return {f"rank {one.rank}": _line(one) for one in ranks}


def _line(one: t.Trace) -> str:
    standing = one.learning.standing
    since = f" for {standing.seconds:.0f} s" if standing is not None else ""
    counts = f"{_count(one.step_count(), 'step')}, {_count(len(one.backwards), 'backward pass')}"
    return f"{told(one)}{since}; {counts}"


def _stack(one: t.Trace) -> int:
    standing = one.learning.standing
    if standing is not None and standing.stack >= 0:
        return standing.stack
    if one.raised is not None:
        return one.raised.stack
    known = [(b.tick, b.stack) for b in one.backwards] + [(s.tick, s.stack) for s in one.steps]
    return max(known, default=(0, -1))[1]


def _count(number: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("s") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
