"""Gradients are accumulated over means of very different numbers of elements.

## What it means

Each micro-batch's loss is the mean over its own targets, and the means count alike. So one token of a micro-batch with 2
tokens weighs 20 times as much as one of a micro-batch with 40. The result is not what one large batch would give: the
model fits the short sequences.

## How to recognise it

The loss differs from that of a run with the same batch in one piece. whygrad takes, for every backward pass between two
steps, how many targets its mean is over (without ignored ones) and the numbers that it is multiplied or divided by, and
compares what one target weighs. A warning is given where that differs by a factor of 4 or more within the window of most
steps. In 30 steps of four micro-batches with 8 sequences of 5 to 50 tokens each it was 1.1 to 1.7, with 4 sequences 1.3 to
2.5, and with 2 sequences more than 4 in 5 of 30; the last one of an epoch, half full, differs by 2.

## Example

```python
for tokens, mask in micro_batches:
    loss = F.cross_entropy(model(tokens)[mask], targets[mask])
    (loss / len(micro_batches)).backward()
optimizer.step()
```

## Use instead

```python
total = sum(mask.sum() for _, mask in micro_batches)
for tokens, mask in micro_batches:
    loss = F.cross_entropy(model(tokens)[mask], targets[mask], reduction="sum")
    (loss / total).backward()
optimizer.step()
```

## Not this rule

Micro-batches of nearly one size; losses that are multiplied by their share of the targets; losses of different tasks.

## References

- https://huggingface.co/blog/gradient_accumulation
- https://github.com/meta-pytorch/torchtune/pull/1875
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.masks import Share, windows

_UNEQUAL = 4.0  #: times that one element weighs more than another


def check(graph: Graph) -> Iterator[Finding]:
    """The line that scales the mean (or calls backward), and the mean."""
    places: dict[tuple[int, int], list[list[Share]]] = {}
    for shares in windows(graph):
        key = (graph.trace.backwards[shares[0].backward].stack, graph.flow.kind(shares[0].reduction).stack)
        places.setdefault(key, []).append(shares)
    for (stack, _), found in places.items():
        bad = [shares for shares in found if _spread(shares) >= _UNEQUAL]
        if 2 * len(bad) < len(found) or not bad:
            continue
        worst = max(bad, key=_spread)
        one = worst[-1]
        counts = [round(share.count) for share in worst]
        scaled = graph.op_sites(one.scaled, "equal weight", 0) if one.scaled >= 0 else ()
        yield Finding(
            rule="mean-of-unequal-means",
            severity="warning",
            title=f"{len(worst)} means over {min(counts)} to {max(counts)} elements count alike in one step: an element of "
            f"the smallest weighs {_spread(worst):.3g} times as much as one of the largest",
            parameters=graph.names(behind(graph, one.reduction)),
            link=10,
            causes=distinct(
                [*scaled, *graph.op_sites(one.reduction, "mean", 0), *graph.sites(stack, "accumulated", 0)]
            )[:3],
            evidence={"counts": counts[:32], "windows": len(found), "unequal_windows": len(bad)},
            fix='Take sums (reduction="sum") and divide each by the number of targets in all micro-batches of the step.',
        )


def _spread(shares: list[Share]) -> float:
    weights = [share.weight for share in shares if share.weight > 0]
    return max(weights) / min(weights) if weights else 1.0
