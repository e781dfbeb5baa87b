"""How far the ranks' copies of a buffer are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from whygrad import trace as t
from whygrad.graph.across import Across, apart


class Drift(NamedTuple):
    """A buffer (``param``: its index on rank 0). ``kind``: ``mean`` and ``variance`` of a normalisation layer, whose distance is in
    standard deviations or that of the logarithms, or ``other``, as a share of its size."""

    name: str
    param: int
    kind: str
    distance: float


def drifts(across: Across) -> Iterator[Drift]:
    """All that all ranks have and change, that are not equal at the end, and that no wrapper sends round."""
    moments = [d.last for d in across.facts]
    firsts = [d.first for d in across.facts]
    if any(m is None for m in [*moments, *firsts]) or len({m.steps for m in moments if m is not None}) > 1:
        return
    sent = any(w.options.get("broadcast_buffers", True) for w in across.facts[0].wrappers)
    if sent:
        return
    first, last = _tables(across, firsts), _tables(across, moments)
    for name, looks in last.items():
        before = first.get(name)
        if before is None or len({s.checksum for s in looks}) == 1:
            continue
        if any(s.checksum == b.checksum for s, b in zip(looks, before, strict=True)):
            continue  # it changes on some ranks only: what rank 0 alone keeps, for instance
        index = looks[0].param
        if name.endswith("running_mean"):
            spread = last.get(name.removesuffix("mean") + "var")
            if spread is not None:
                yield Drift(
                    name, index, "mean", _in_deviations(looks, spread, across.traces[0].params[index])
                )
        elif name.endswith("running_var"):
            yield Drift(name, index, "variance", _ratio(looks))
        else:
            yield Drift(name, index, "other", apart(looks))


def _tables(across: Across, moments: list[t.Moment | None]) -> dict[str, list[t.Sketch]]:
    found: list[dict[str, t.Sketch]] = []
    for trace, moment in zip(across.traces, moments, strict=True):
        sketches = moment.sketches if moment is not None else ()
        own = {trace.params[s.param].fqn: s for s in sketches if _counts(trace.params[s.param])}
        found.append(own)
    return {name: [own[name] for own in found] for name in found[0] if all(name in own for own in found)}


def _counts(param: t.Param) -> bool:
    return param.role == "buffer" and param.named


def _in_deviations(means: list[t.Sketch], variances: list[t.Sketch], param: t.Param) -> float:
    """Root mean square over the channels of the distance of two means, over the standard deviation."""
    channels = max(1, math.prod(param.shape))
    norm = max(s.norm for s in means)
    variance = max(s.norm for s in variances) / math.sqrt(channels)
    return apart(means) * norm / math.sqrt(channels) / math.sqrt(variance) if variance > 0 else 0.0


def _ratio(variances: list[t.Sketch]) -> float:
    norms = [s.norm for s in variances]
    return math.log(max(norms) / min(norms)) if min(norms) > 0 else 0.0
