"""Anomaly detection stopped a backward pass because a function returned NaN.

## What it means

Under `torch.autograd.detect_anomaly` backward raises "Function 'PowBackward0' returned nan values in its 0th output"
at the first NaN. The function that it names is where the NaN appeared, not where the fault lies: an infinite gradient
made before (the root of zero has an infinite slope) becomes NaN only when it is multiplied by zero. whygrad names the
operation whose gradient was finite on arrival and not finite afterwards.

## How to recognise it

Look for `sqrt`, `log`, `pow`, division, `norm` and `std` at zero, and for `torch.where` that selects after such an
operation instead of before it.

## Example

```python
distance = (a - b).square().sum(-1).sqrt()      # infinite slope where a equals b
```

## Use instead

```python
distance = ((a - b).square().sum(-1) + 1e-12).sqrt()
```

## Not this rule

Without anomaly detection nothing raises; then `nonfinite-gradient` and `first-nonfinite` tell the same.

## References

- https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
- https://github.com/pytorch/pytorch/issues/4132
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised
from whygrad.graph.vanishing import probes


def check(graph: Graph) -> Iterator[Finding]:
    """The operations that turned a finite gradient into a non-finite one, and the backward that was stopped."""
    error = raised(graph, "returned nan values in its")
    if error is None or not graph.trace.backwards:
        return
    last = len(graph.trace.backwards) - 1
    losses = [loss for loss in graph.gradients.spoilers(last) if loss.op >= 0]
    ops = list(dict.fromkeys(loss.op for loss in losses))
    given = [o for op in ops for p in probes(graph, op) for o in p.operands]
    shown = f", with {_range(given[0])}" if given else ""
    yield Finding(
        rule="anomaly-nan",
        severity="error",
        title=f"the gradient stops being finite at {graph.label(ops[0])}{shown}"
        if ops
        else "a backward function returned NaN",
        causes=distinct(
            [
                *(s for op in ops for s in graph.op_sites(op, "gradient not finite")),
                *graph.sites(error.stack, "backward", 0),
            ]
        ),
        evidence={
            "loss": str(graph.trace.backwards[last].loss),
            "function": error.message.partition("'")[2].partition("'")[0],
        },
        fix="Keep the operand away from where the slope is infinite: add a small epsilon under it, or select the valid "
        "elements before this operation, not after it.",
    )


def _range(operand: t.Operand) -> str:
    what = "a result" if operand.place == "out" else "an operand"
    bad = f" and {operand.nonfinite} numbers that are not finite" if operand.nonfinite else ""
    return f"{what} from {operand.low:.3g} to {operand.high:.3g}{bad}"
