"""``ReduceLROnPlateau`` waits for a number to go one way, and is given one that goes the other way when all is well.

## What it means
The scheduler lowers the learning rate when what ``step`` is given has not become *better* for ``patience`` calls. Better is
smaller with ``mode="min"``, which is the default. Given an accuracy, every improvement counts as a bad epoch, and the
rate is cut again and again while the model improves. With ``mode="max"`` and a loss it is the same the other way round;
and a number that says nothing of the model (the epoch's) makes it cut by the clock.

## How to recognise it
The learning rate falls every ``patience + 1`` epochs from the start, while loss and accuracy both improve; then
everything stands still.

## Example
```python
scheduler = ReduceLROnPlateau(optimizer)
...
scheduler.step(accuracy)
```

## Use instead
```python
scheduler = ReduceLROnPlateau(optimizer, mode="max")
...
scheduler.step(accuracy)
```

## Not this rule
A validation loss with ``mode="min"`` that rises because the model overfits, an error rate (1 - accuracy), a metric that
is better when it is greater with ``mode="max"``.

What the source calls the number comes first. Where it says nothing, at least six calls and a cut of the rate are needed, and
the number must go against the training loss (with it, for ``mode="max"``) in all but an eighth of the pairs of calls: six
numbers in a random order do that in 6 of 720 cases.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
- https://github.com/facebookresearch/fairseq/issues/2205
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.scheduling import counted, misled


def check(graph: Graph) -> Iterator[Finding]:
    """Plateau schedulers whose metric is better the other way, or no measure of the model."""
    for plan in misled(graph):
        turns = [turn for turn in plan.turns if turn.metric is not None]
        mode = str(plan.options.get("mode"))
        metrics = [turn.metric for turn in turns if turn.metric is not None]
        cuts = [turn for turn in turns if turn.after < turn.before]
        counts = counted(turns)
        held = sorted({p for g in graph.trace.optimizers[plan.optimizer].groups for p in g.params})
        losses = [turn.loss for turn in turns if turn.loss is not None]
        sure = bool(cuts) and len(turns) > 2 and (counts or _moved(mode, metrics))
        if counts:
            what = f"is given the numbers {metrics[0]:g}, {metrics[1]:g}, {metrics[2]:g}, ..., no measure of the model"
            fix = "Give step() the validation loss (mode='min') or a score (mode='max'), not the number of the epoch."
        else:
            better, wanted = ("greater", "smaller") if mode == "min" else ("smaller", "greater")
            what = f"waits for a {wanted} number and is given one that is better when it is {better}"
            what += (
                f" ({metrics[0]:.3g} to {metrics[-1]:.3g} over {len(turns)} calls)" if len(turns) > 1 else ""
            )
            fix = f"ReduceLROnPlateau(optimizer, mode={'max' if mode == 'min' else 'min'!r})."
        lowered = f"; the learning rate was cut {len(cuts)} times" if cuts else ""
        yield Finding(
            rule="scheduler-wrong-mode",
            severity="error" if sure else "warning",
            title=f"{graph.count(held)}: ReduceLROnPlateau {what}{lowered}",
            parameters=graph.names(held),
            link=10,
            causes=_places(graph, plan, turns[-1], counts),
            evidence={
                "mode": mode,
                "metric_first": metrics[0],
                "metric_last": metrics[-1],
                "loss_first": losses[0] if losses else None,
                "loss_last": losses[-1] if losses else None,
                "cuts": len(cuts),
                "calls": len(turns),
                "lr_first": turns[0].before,
                "lr_last": turns[-1].after,
            },
            fix=fix,
        )


def _places(graph: Graph, plan: t.Schedule, turn: t.Turn, counts: bool) -> tuple[Site, ...]:
    made, told = graph.sites(plan.created, "schedule", 0), graph.sites(turn.stack, "metric", 0)
    return distinct([*told, *made] if counts else [*made, *told])


def _moved(mode: str, metrics: Sequence[float]) -> bool:
    """Whether the metric went the way that counts as bad."""
    return metrics[-1] > metrics[0] if mode == "min" else metrics[-1] < metrics[0]
