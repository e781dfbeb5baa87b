"""Buffers that belong to the model differ between the ranks.

## What it means

Running statistics, codebooks, queues of keys and other buffers change in the forward pass, by the data that a rank sees.
Gradients are synchronised, buffers are not, unless DistributedDataParallel sends rank 0's to all ranks before each forward
pass (`broadcast_buffers`, which is on by default). Otherwise each rank computes with its own, and what rank 0 saves and
validates with has seen its part of the data only.

## How to recognise it

The validation differs from rank to rank. whygrad estimates the distance of the copies at the end of the window: for running
statistics in standard deviations of the feature, for other buffers as a share of their size.

## Example

```python
model = DistributedDataParallel(model, broadcast_buffers=False)
```

## Use instead

```python
model = DistributedDataParallel(model)
```

Or reduce what goes into the buffer over all ranks where it is computed; for BatchNorm
`torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)`.

## Not this rule

Buffers that DistributedDataParallel sends round; running statistics that differ by chance only (less than half a standard
deviation, or a factor of 1.8 in the variances: in 2,000 pairs of ranks with normal numbers of one distribution, ten batches of
two samples brought them 0.37 and 1.61 apart at most, of eight samples 0.19 and 1.15); counters, masks and tables, which do
not change; other buffers that differ by less than 5 percent of their size.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared
from whygrad.graph.across_buffers import Drift, drifts

ACROSS = True
SYMPTOM = True
_MEAN, _VARIANCE, _OTHER = 0.5, math.log(1.8), 0.05


def check(graph: Graph) -> Iterator[Finding]:
    """Buffers far apart at the end, that nothing sends round."""
    across = compared(graph)
    if not across.data_parallel or across.averaging:
        return
    found = [one for one in drifts(across) if _far(one)]
    if not found:
        return
    worst = max(found, key=lambda one: one.distance)
    unit = (
        "standard deviations"
        if worst.kind == "mean"
        else "of its size"
        if worst.kind == "other"
        else "in logarithm"
    )
    yield Finding(
        rule="buffers-drift-apart",
        severity="warning",
        title=f"{len(found)} buffer{'s' * (len(found) > 1)} differ between the ranks: {worst.name} by "
        f"{worst.distance:.2g} {unit}",
        link=10,
        causes=_causes(across, worst)[:3],
        evidence={"buffers": [one.name for one in found[:8]], "distance": round(worst.distance, 4)},
        fix="Leave broadcast_buffers on, or reduce over all ranks what is written into the buffer.",
    )


def _far(one: Drift) -> bool:
    return one.distance > {"mean": _MEAN, "variance": _VARIANCE, "other": _OTHER}[one.kind]


def _causes(across: Across, one: Drift) -> tuple[Site, ...]:
    trace = across.traces[0]
    wrappers = [w for w in across.facts[0].wrappers if not w.options.get("broadcast_buffers", True)]
    param = trace.params[one.param]
    writes = [e.stack for e in trace.events if e.kind == "write" and one.param in e.params]
    return distinct([
        *across.sites(0, [w.created for w in wrappers[:1]], "buffers are not sent round", 0),
        *across.sites(0, writes[-1:], "written"),
        *across.sites(0, [param.created], "created", 0),
    ])  # fmt: skip
