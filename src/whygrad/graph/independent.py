"""Ranks between which nothing is synchronised: several independent trainings, or one that was meant to be shared?"""

from __future__ import annotations

import math

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across, Key, grouped
from whygrad.graph.chain import distinct

_STEPS = 3


def never_bound(across: Across) -> tuple[list[Key], int, tuple[f.Site, ...], str] | None:
    """Parameters that were equal at random values on all ranks and part by their gradients, where the data are shared out
    and nothing ever moves gradients or weights: they, the step, places, and how the data are shared out. None otherwise:
    trainings of different seeds, rates or data sets are independent on purpose."""
    parted = grouped(across.partings, "gradient")
    random = [p for p in parted if _random(across, p.key)]
    if (
        not random
        or any(across.bound(key) for key in across.shared if across.history(key)[0])
        or any(d.sharded for d in across.facts)
    ):
        return None
    if any(d.said.collectives for d in across.facts) or any(
        w.forwards for d in across.facts for w in d.wrappers
    ):
        return None
    if any(
        c.what in ("parameter", "gradient", "like") or _weights(across, c)
        for d in across.facts
        for c in d.collectives
    ):
        return None
    if {p.why for p in across.partings} != {"gradient"} or min(p.step for p in parted) > 0:
        return None
    if any(len(own) < _STEPS for own in across.history(random[0].key)):
        return None
    split = shared_out(across)
    if split is None:
        return None
    text, stacks = split
    keys = [p.key for p in parted]
    trace = across.traces[0]
    first = across.shared[random[0].key][0]
    made = across.sites(0, [trace.params[first].created], "never synchronised", 2)
    optimizers = [trace.optimizers[o].created for o, _ in across.graphs[0].updates.holders.get(first, ())]
    places = distinct(
        [
            *made[-1:],
            *across.sites(0, optimizers[:1], "optimizer", 0),
            *across.sites(0, stacks, "shared out", 0),
        ]
    )
    return keys, 0, places[:3], text


def shared_out(across: Across) -> tuple[str, list[int]] | None:
    """How the data are shared out among the ranks: a phrase and the places, None if nothing says so."""
    samplers = [
        next((r for r in d.readings if r.grad and r.sampler is not None and r.sampler.replicas > 1), None)
        for d in across.facts
    ]
    if all(r is not None for r in samplers) and samplers[0] is not None and samplers[0].sampler is not None:
        return f"{samplers[0].sampler.kind} shares out the data", [samplers[0].sampler.made]
    if all(d.said.shares for d in across.facts):
        return "each rank takes its share of the data", list(across.facts[0].said.shares[:1])
    return None


def _random(across: Across, key: Key) -> bool:
    """Whether a parameter started at random values; constants are the same everywhere for another reason."""
    params = [trace.params[i] for trace, i in zip(across.traces, across.shared[key], strict=True)]
    return all(p.origin & (t.RANDOM | t.LOADED) for p in params) and len(key[1]) > 1


def _weights(across: Across, call: t.Collective) -> bool:
    """Whether a collective moves about as many numbers as the model has."""
    total = sum(math.prod(shape) for _, shape in across.shared)
    return call.what == "other" and call.count >= total // 2
