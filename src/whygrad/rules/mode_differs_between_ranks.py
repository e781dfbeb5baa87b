"""One rank trains in evaluation mode while another is in training mode.

## What it means

`train()` and `eval()` concern the process that calls them. Where rank 0 alone validates and does not go back to `train()`,
it trains on in evaluation mode: its BatchNorm layers normalise with running statistics that they no longer update, its
Dropout passes everything on, while the other ranks go on as before. DistributedDataParallel averages the gradients of two
different functions, and by default sends rank 0's buffers, which have stopped, to all ranks.

## How to recognise it

`model.training` printed on every rank in the training loop is not the same. whygrad compares the mode in which each layer
that heeds it went through the same step.

## Example

```python
if rank == 0:
    evaluate(model)                      # calls model.eval()
for x, y in loader:
    criterion(ddp(x), y).backward()
```

## Use instead

```python
for epoch in range(epochs):
    ddp.train()                          # on every rank, before each epoch
    for x, y in loader:
        ...
    if rank == 0:
        evaluate(ddp.module)
```

## Not this rule

A validation on rank 0 that is followed by `train()`; models without layers that heed the mode, or with a dropout of 0;
layers in evaluation mode on all ranks (see `eval-mode-in-training`); ranks that train independent models.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph
from whygrad.graph.across import compared
from whygrad.graph.across_modes import Mixed, blamed, mixed

ACROSS = True
EXPLAINS = ("eval-mode-in-training", "buffers-drift-apart", "same-noise-on-every-rank")


def check(graph: Graph) -> Iterator[Finding]:
    """Layers whose mode is not the same on all ranks at the same step, by who set it."""
    across = compared(graph)
    if not across.data_parallel:
        return
    groups: dict[tuple[tuple[Site, ...], tuple[int, ...], tuple[int, ...]], list[Mixed]] = {}
    for found in mixed(across):
        groups.setdefault((blamed(across, found), found.training, found.evaluating), []).append(found)
    for (sites, training, evaluating), layers in groups.items():
        first = layers[0]
        name = first.layers[0].kind + (f" and {len(layers) - 1} more" if len(layers) > 1 else "")
        yield Finding(
            rule="mode-differs-between-ranks",
            severity="error",
            title=f"{name}: rank {_list(across.numbers(evaluating))} trains in evaluation mode, rank "
            f"{_list(across.numbers(training))} in training mode, at {first.steps} of the same steps",
            link=10,
            causes=sites,
            evidence={
                "steps": first.steps,
                "ranks_in_eval_mode": across.numbers(evaluating),
                "layers": [one.layers[0].fqn or one.layers[0].kind for one in layers[:8]],
            },
            fix="Call model.train() on every rank at the start of each epoch, after any validation.",
        )


def _list(ranks: tuple[int, ...]) -> str:
    return ", ".join(map(str, ranks))
