"""A recurrent layer runs along the samples of the batch instead of along time.

## What it means

`nn.LSTM`, `nn.GRU` and `nn.RNN` take `[time, batch, features]`, and only with `batch_first=True`
`[batch, time, features]`. A tensor in the other layout raises nothing: the layer takes the samples for time steps and
the time steps for samples. The state then runs from one sample of the mini-batch to the next, the history of a sample
is never seen, and the prediction for a sample depends on which others are in its batch.

## How to recognise it

whygrad follows both axes from the layer's output to the loss. If one position of the layer's batch axis is chosen
(`out[:, -1]`), or its mean is taken, while the axis along which the layer ran arrives at the loss beside the targets,
these axes were mixed up. The same if the layer runs along the axis along which a shuffling DataLoader stacks samples,
or along which rows were drawn at random.

## Example

```python
self.lstm = nn.LSTM(3, 24)              # takes [time, batch, features]
out, _ = self.lstm(x)                   # x is [batch, time, features]
return self.fc(out[:, -1])
```

## Use instead

```python
self.lstm = nn.LSTM(3, 24, batch_first=True)
out, _ = self.lstm(x)
return self.fc(out[:, -1])
```

The states `h_n` and `c_n` are `[layers, batch, features]` in both layouts.

## Not this rule

Code that is time-major throughout (`out[-1]`), a loss taken of each sample in a loop, batches of one sample, input
without a batch axis.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
- https://github.com/facebookresearch/fairseq/issues/2449
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.axis_rules import RECURRENT
from whygrad.graph.layouts import Mixup, mixups, places, shown, why

EXPLAINS = ("samples-mixed",)


def check(graph: Graph) -> Iterator[Finding]:
    """Recurrent layers whose time axis is the axis of the samples."""
    for mixup in mixups(graph, RECURRENT):
        params = [
            v.param
            for v in map(graph.trace.values.__getitem__, graph.trace.ops[mixup.op].ins)
            if v.param >= 0
        ]
        yield Finding(
            rule="rnn-batch-first",
            severity="error",
            title=f"{shown(graph, mixup)} runs along {mixup.steps} samples of the batch as if they were time steps: "
            f"it takes {_layout(mixup)}, and gets {list(mixup.shape)}",
            parameters=graph.names(params),
            link=10,
            causes=places(graph, mixup),
            evidence={"input": str(list(mixup.shape)), "batch_first": mixup.first, "why": why(mixup)},
            fix=f"Construct it with batch_first={not mixup.first}, or transpose the input (and the output back).",
        )


def _layout(mixup: Mixup) -> str:
    return "[batch, time, features]" if mixup.first else "[time, batch, features] (batch_first=False)"
