"""Most of the targets that a loss averages over are padding.

## What it means

Sequences of different lengths are filled up to one length. If the loss counts the filling, the model is mostly trained to
predict it, which it learns in a few steps: the loss looks excellent, and the gradient of the real tokens is only as large
as their share of all positions.

## How to recognise it

The loss falls at once to a small number, and the samples are poor. whygrad knows which positions of the input are padding
(the `padding_idx` of the embedding, or one id or zeros that fill the ends of rows of different lengths and are found nowhere
else), and counts how many of the targets at these positions take part in the mean: not those equal to `ignore_index`, not
classes of weight 0, not where a mask is multiplied in afterwards. A warning is given where they are at least half of all
targets. Below that the real tokens lose less than half of their gradient, and much code that works well has it so: in eight
trainings on sentences of random length (at most 9 to 29 tokens, 8 or 32 a batch), padded to the longest of each batch,
the share was 0.23 to 0.44. In the faulty scripts of the tests it was 0.59 to 0.91. Where the source itself declares an id
as padding (`padding_idx` of an embedding), and the classes to be predicted there are that id, it is told from a fifth on:
then nothing but the loss takes the filling for something to be learned.

## Example

```python
loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
```

## Use instead

```python
loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
```

For other losses: `reduction="none"`, times the mask, divided by the sum of the mask.

## Not this rule

Padding that is left out by any of these means; a few padded positions; rows that end alike in some of the first batches only.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.targets import CLASSES, all_counted, ignore_index, places, sites

_MOST = 0.5  #: share of padding among the targets from which on it is told
_DECLARED = 0.2  #: the same where the source says which id is padding
_PASSES = 3  #: backward passes during which padding is looked for


def check(graph: Graph) -> Iterator[Finding]:
    """The loss that counts padding, and where its targets were made."""
    for looks in places(graph):
        seen = [look for look in looks if look.pad is not None]
        counted = sum(look.counted for look in seen)
        share = sum(look.padded for look in seen) / counted if counted else 0.0
        declared = bool(seen) and _declared(graph, seen[-1])
        if share < (_DECLARED if declared else _MOST) or not all_counted(graph, seen[-1].op):
            continue
        if not declared and not _throughout(graph, seen):
            continue
        last = seen[-1]
        classes = last.name in CLASSES
        ignored = ignore_index(graph, last.op)
        target = graph.trace.values[last.target].created
        yield Finding(
            rule="padding-in-loss",
            severity="warning",
            title=f"{share:.0%} of the targets that `{last.name}` takes together are padding ({last.pad:g})"
            + (f"; it leaves out {ignored} only" if classes else ""),
            parameters=graph.names(behind(graph, last.op)),
            link=10,
            causes=distinct([*sites(graph, last, "padding counts"), *graph.sites(target, "target", 0)])[:3],
            evidence={"padding_share": round(share, 3), "pad": last.pad, "looks": len(seen)},
            fix=f"Give the loss ignore_index={last.pad:g}."
            if classes
            else "Take the loss of each position, multiply it by "
            "the mask, and divide by the sum of the mask.",
        )


def _throughout(graph: Graph, seen: list[t.TargetLook]) -> bool:
    """Whether the same padding was seen in every pass in which it was looked for: rows of a small batch may end alike
    by chance."""
    histories = graph.flow.loss_histories[:_PASSES]
    ops = [set(graph.trace.ops[look.op].outs) for look in seen]
    every = all(any(not outs.isdisjoint(history) for outs in ops) for history in histories)
    return every and len({look.pad for look in seen}) == 1


def _declared(graph: Graph, look: t.TargetLook) -> bool:
    """Whether the classes that stand at padded positions are the padding index of an embedding."""
    if look.name not in CLASSES:
        return False
    modules = [m for m in graph.trace.learning.modules if m.kind == "Embedding"]
    calls = [k.args for k in graph.trace.kinds if k.name == "embedding"]
    said = {m.options.get("padding_idx", "") for m in modules}
    said |= {args.get("padding_idx", args.get("2", "")) for args in calls}
    return f"{look.pad:g}" in said
