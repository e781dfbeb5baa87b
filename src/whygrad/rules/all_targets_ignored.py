"""Every target is equal to `ignore_index`, so that nothing is learned from it.

## What it means

`cross_entropy` leaves out the targets that are equal to `ignore_index` (-100 unless another is given). If all of them are,
the mean is over nothing: the loss is NaN, the gradient is exactly zero, and no error is raised.

## How to recognise it

The loss is `nan` (or 0 with `reduction="sum"`) from the first step on, and the weights stay finite. whygrad counts the
targets that take part in each call, and speaks where there was none in at least half of the calls at one place.

## Example

```python
labels = input_ids.clone()
labels[attention_mask == 1] = -100                  # the tokens, not the padding
```

## Use instead

```python
labels = input_ids.clone()
labels[attention_mask == 0] = -100
```

## Not this rule

A batch now and then in which all targets are ignored: its gradient is zero, and it does no harm.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://github.com/pytorch/pytorch/issues/70348
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.targets import ignore_index, ignored_throughout, made, places, sites


def check(graph: Graph) -> Iterator[Finding]:
    """The loss without targets, and where its targets were made."""
    calls = {(looks[0].name, looks[0].stack): len(looks) for looks in places(graph)}
    for empty in ignored_throughout(graph):
        one = empty[-1]
        whole = calls[one.name, one.stack]
        index = ignore_index(graph, one.op)
        yield Finding(
            rule="all-targets-ignored",
            severity="error" if len(empty) == whole else "warning",
            title=f"none of the targets of `{one.name}` counts in {len(empty)} of {whole} calls: all {one.count} are "
            + (f"{index}, its ignore_index" if one.low == one.high == index else "ignored or of weight 0"),
            parameters=graph.names(behind(graph, one.op)),
            link=6 if len(empty) == whole else 10,
            causes=distinct([*made(graph, one, "targets"), *sites(graph, one, "nothing left")]),
            evidence={
                "calls": whole,
                "without_targets": len(empty),
                "targets": one.count,
                "ignore_index": index,
            },
            fix="Look at where the targets are set to this number: a mask that is inverted, a prompt as long as the text, "
            "or an ignore_index that is a class of its own.",
        )
