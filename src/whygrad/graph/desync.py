"""Why a gradient is not the same on all ranks: what the wrapper knew of the passes before a step, or what the script's own
collectives left out."""

from __future__ import annotations

import math
from typing import NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across, Key
from whygrad.graph.chain import distinct

_STEPS = 3  #: in which something must happen to be a habit


class Reason(NamedTuple):
    """``kind``, a phrase for the title, what to do, and the places on a rank."""

    kind: str
    text: str
    fix: str
    sites: tuple[f.Site, ...]


_FIXES = {
    "unhooked": "Do not convert a wrapped model: copy the state_dict and convert that (v.to(dtype) for each v), or convert "
    "the model first and wrap it in DistributedDataParallel afterwards.",
    "unknown": "Wrap the model in DistributedDataParallel after the last change to its parameters, or wrap it again: it "
    "synchronises those that it found, and that required grad, when it was constructed.",
    "silent": "Let the last forward and backward pass before optimizer.step() run outside no_sync().",
    "past": "Call the DistributedDataParallel object itself in the forward pass, not the module inside it.",
    "again": "Add the losses and call backward() once: DistributedDataParallel synchronises the first backward pass after "
    "a forward pass, and no other.",
    "hook": "Let the communication hook reduce the bucket over all ranks before it returns it.",
    "changed": "Change gradients in the same way on every rank, or before they are synchronised.",
    "late": "Reduce the gradients after backward() and before optimizer.step().",
    "one rank": "Use all_reduce: reduce gives the result to one rank only.",
    "left out": "Reduce the gradients of all parameters, in the same order on every rank.",
    "copy": "Reduce param.grad itself, or copy the result back into it.",
    "unsharded": "Call fully_shard() on the whole model too, after its parts: it synchronises the parameters that are left.",
    "local": "Synchronise gradients as DistributedDataParallel does: all ranks reduce the same gradient before each step.",
}


def reason(across: Across, rank: int, key: Key, step: int) -> Reason:
    """Why the gradient of a parameter differs at a step, as this rank shows it."""
    wrapper = across.wrapper(rank, key) or _around(across, rank, key)
    index = across.shared[key][rank]
    found = None
    if wrapper is not None:
        found = _of_wrapper(across, rank, wrapper, index, _window(across, rank, key, step))
    found = found or _by_hand(across, rank, key, step)
    found = found or _unsharded(across, rank, index) or _changed(across, rank, key, step)
    if found is None:
        trace = across.traces[rank]
        number, _ = across.history(key)[rank][step]
        passes = [b.stack for b in trace.backwards if b.tick < trace.steps[number].tick][-1:]
        sites = across.sites(rank, [*passes, trace.steps[number].stack], "not synchronised")
        found = "local", "", sites
    kind, text, sites = found
    return Reason(kind, text, _FIXES[kind], sites[:3])


Found = tuple[str, str, tuple[f.Site, ...]]


def _window(across: Across, rank: int, key: Key, step: int) -> tuple[int, int]:
    """Ticks of the step before (of the same parameter) and of this one."""
    trace, own = across.traces[rank], across.history(key)[rank]
    before = trace.steps[own[step - 1][0]].tick if step else -1
    return before, trace.steps[own[step][0]].tick


def _around(across: Across, rank: int, key: Key) -> t.Wrapper | None:
    """The wrapper whose module has the parameter, though it does not know it."""
    index = across.shared[key][rank]
    wrappers = reversed(across.facts[rank].wrappers)
    return next((w for w in wrappers if any(index in p.unknown for p in w.prepared)), None)


def _of_wrapper(
    across: Across, rank: int, wrapper: t.Wrapper, index: int, window: tuple[int, int]
) -> Found | None:
    trace = across.traces[rank]
    passes = [
        p
        for p in wrapper.prepared
        if window[0] < trace.backwards[p.backward].tick < window[1]
        and index in trace.backwards[p.backward].reached
    ]
    made = across.sites(rank, [wrapper.created], "wrapped", 0)
    if not passes:
        return None
    last = passes[-1]
    if any(index in p.unknown for p in passes):
        return (
            "unknown",
            "DistributedDataParallel does not know them",
            _unknown(across, rank, wrapper, index, made),
        )
    if any(index in p.unhooked for p in passes):
        return (
            "unhooked",
            "a conversion took DistributedDataParallel's hooks off",
            _retyped(across, rank, wrapper, index, made),
        )
    if any(p.past and not p.synced for p in passes):
        places = [p.stack for p in wrapper.past] + [p.inner for p in wrapper.past]
        sites = across.sites(rank, places[: len(wrapper.past)], "past the wrapper", 0)
        callers = across.sites(rank, [wrapper.past[0].stack], "past the wrapper") if wrapper.past else ()
        return (
            "past",
            "the module is called past DistributedDataParallel",
            distinct([*sites[:2], *made, *callers]),
        )
    if last.silent and not last.synced:
        silenced = across.sites(rank, wrapper.silenced, "not synchronised from here", 0)
        backward = across.sites(rank, [trace.backwards[last.backward].stack], "backward", 0)
        return (
            "silent",
            "no_sync() is still on in the last pass before the step",
            distinct([*silenced[:2], *backward, *made]),
        )
    if not last.synced:
        stacks = [trace.backwards[p.backward].stack for p in reversed(passes)]
        return (
            "again",
            "a second backward pass follows one forward pass",
            across.sites(rank, stacks, "backward", 0),
        )
    if wrapper.hook >= 0:
        return (
            "hook",
            "the communication hook does not reduce them",
            across.sites(rank, [wrapper.hook], "hook"),
        )
    return None


def _unknown(
    across: Across, rank: int, wrapper: t.Wrapper, index: int, made: tuple[f.Site, ...]
) -> tuple[f.Site, ...]:
    trace = across.traces[rank]
    param = trace.params[index]
    flips = [flip.stack for flip in param.flips if flip.value and flip.tick > wrapper.tick]
    new = [s for s in (param.assigned, param.created) if s >= 0] if param.created_tick >= wrapper.tick else []
    later = across.sites(rank, [*flips[-1:], *new], "later than the wrapper", 0)
    outer = across.sites(rank, [*flips[-1:], *new[:1]], "later than the wrapper")
    return distinct([*later[:1], *made, *later[1:], *outer])


def _retyped(
    across: Across, rank: int, wrapper: t.Wrapper, index: int, made: tuple[f.Site, ...]
) -> tuple[f.Site, ...]:
    stacks = [r.stack for r in wrapper.retyped if index in r.params]
    trace = across.traces[rank]
    if not stacks:
        events = [
            e for e in trace.events if e.kind == "write" and index in e.params and e.tick > wrapper.tick
        ]
        stacks = [e.stack for e in events if e.data.get("op") == "data ="][:1]
    return distinct([*across.sites(rank, stacks, "hooks lost"), *made])


def _by_hand(across: Across, rank: int, key: Key, step: int) -> Found | None:
    """What the script's own collectives do with a gradient that DistributedDataParallel does not synchronise."""
    index = across.shared[key][rank]
    after, before = _window(across, rank, key, step)
    calls = [c for c in across.facts[rank].collectives if c.tick > after]
    own = [c for c in calls if index in c.params and c.what in ("gradient", "like")]
    timely = [c for c in own if c.tick < before]
    stepped = across.sites(
        rank, [across.traces[rank].steps[across.history(key)[rank][step][0]].stack], "step", 0
    )
    if timely and all(c.name == "reduce" for c in timely):
        return (
            "one rank",
            "reduce() hands the sum to one rank only",
            across.sites(rank, [timely[0].stack], "reduced to one rank"),
        )
    if own and not timely:
        sites = across.sites(rank, [own[0].stack], "after the step")
        return "late", "they are reduced after the step that uses them", distinct([*sites, *stepped])
    copies = [c for c in copies_reduced(across, rank, key) if after < c.tick < before]
    if copies:
        return "copy", "a copy of them is reduced", across.sites(rank, [copies[0].stack], "a copy is reduced")
    if across.by_hand[rank] and not own:
        stacks = list(dict.fromkeys(c.stack for calls in across.by_hand[rank].values() for c in calls))
        return (
            "left out",
            "they are left out where gradients are reduced",
            across.sites(rank, stacks[:1], "reduced"),
        )
    return None


def _unsharded(across: Across, rank: int, index: int) -> Found | None:
    """A parameter of a model whose other parts are sharded, which nothing synchronises."""
    facts, trace = across.facts[rank], across.traces[rank]
    if not facts.sharded or facts.tensor_parallel or facts.wrappers:
        return None
    sites = across.sites(rank, facts.said.sharding[-1:], "the whole model is left out", 0)
    created = across.sites(rank, [trace.params[index].created], "created", 1)
    return "unsharded", "they are in no module that is sharded", distinct([*sites, *created])


def copies_reduced(across: Across, rank: int, key: Key) -> list[t.Collective]:
    """Reductions of as many numbers as a parameter has, of memory that is none of the model's, in step after step."""
    size = math.prod(key[1])
    found = [
        c
        for c in across.facts[rank].collectives
        if c.what == "other" and c.count == size > 1 and "reduce" in c.name
    ]
    return found if len({c.step for c in found}) >= _STEPS else []


def brought_alike(across: Across, key: Key, step: int) -> bool:
    """Whether the passes before a step brought the same gradient to all ranks: what differs then came afterwards."""
    found = []
    for rank, index in enumerate(across.shared[key]):
        after, before = _window(across, rank, key, step)
        passes = [b for b in across.traces[rank].backwards if after < b.tick < before]
        found.append([(g.norm, g.part) for b in passes for g in b.grads if g.param == index])
    return bool(found[0]) and all(_close(found[0], own) for own in found[1:])


def _close(one: list[tuple[float, float | None]], other: list[tuple[float, float | None]]) -> bool:
    return len(one) == len(other) and all(
        a > 0
        and math.isclose(a, b, rel_tol=1e-4)
        and p is not None
        and q is not None
        and abs(p - q) <= 1e-3 * a
        for (a, p), (b, q) in zip(one, other, strict=True)
    )


def _changed(across: Across, rank: int, key: Key, step: int) -> Found | None:
    """Something has written to the gradient between its last pass and the step."""
    stacks = [_writes(across, i, key, step) for i in range(len(across.graphs))]
    some = across.on_some(stacks, "changed")
    if some:
        return "changed", "not all ranks change them in the same way", some
    if stacks[rank]:
        return (
            "changed",
            "each rank changes them in its own way",
            across.sites(rank, stacks[rank][:2], "changed"),
        )
    return None


def _writes(across: Across, rank: int, key: Key, step: int) -> list[int]:
    index, trace = across.shared[key][rank], across.traces[rank]
    after, before = _window(across, rank, key, step)
    passes = [b.tick for b in trace.backwards if after < b.tick < before]
    since = passes[-1] if passes else after
    events = [e for e in trace.events if index in e.params and since < e.tick < before]
    return list(
        dict.fromkeys(e.stack for kind in ("grad-set", "clip", "zero-grad") for e in events if e.kind == kind)
    )
