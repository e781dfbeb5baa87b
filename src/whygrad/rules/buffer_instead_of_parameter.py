"""A random tensor that never changes is computed with as if it were learned: it is no Parameter.

## What it means
``register_buffer`` stores a tensor that is saved and moved with the module and that no optimizer ever changes; a plain
tensor attribute without ``requires_grad`` is not even saved. Right for masks, tables and running statistics, wrong for
queries, tokens, prototypes or positions that start at random values and should be learned. They stay random for good.

## How to recognise it
The tensor was filled with random numbers in the constructor, is joined in the forward pass with features that are
learned, and is bit for bit the same after training. The loss falls all the same, only less far.

## Example
```python
self.register_buffer("queries", torch.randn(4, 64))
```

## Use instead
```python
self.queries = nn.Parameter(torch.randn(4, 64))
```

## Not this rule
Constants (sinusoidal positions, masks, anchors), random Fourier features and other fixed projections of the input,
orthogonal bases, statistics of data, codebooks that a moving average keeps up to date or of which a transformation is
learned, fixed targets.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_LOOK_UPS = {"__getitem__", "embedding", "index_select", "gather", "take"}
_PERIODIC = {"sin", "cos"}  #: random Fourier features: fixed on purpose


def check(graph: Graph) -> Iterator[Finding]:
    """Random buffers that meet learned features on their way to the loss, and never change."""
    params = graph.trace.params
    found = [i for i, p in enumerate(params) if p.role == "buffer" and _meant_to_learn(graph, i)]
    for (_, hidden), indices in group(((params[i].owner, params[i].hidden), i) for i in found):
        names = graph.names(indices)
        what = "a plain tensor" if hidden else "a buffer"
        yield Finding(
            rule="buffer-instead-of-parameter",
            severity="warning",
            title=f"{', '.join(names)} keeps its random initial value: it is {what}, not a Parameter",
            parameters=names,
            link=1,
            causes=distinct(s for i in indices for s in graph.sites(params[i].assigned, "created", 0, True)),
            path=graph.path(indices[0]),
            evidence={
                "requires_grad": False,
                "weight_change": 0.0,
                "norm": None if (first := params[indices[0]].first) is None else first[0],
            },
            fix="If it is to be learned, assign nn.Parameter(...) instead; what is no Parameter is never trained.",
        )


def _meant_to_learn(graph: Graph, index: int) -> bool:
    param = graph.trace.params[index]
    still = not param.changed and not graph.updates.touching("write", index)
    if not still or not graph.at_random(index) or not _made_in_constructor(graph, index):
        return False
    passes = graph.flow.by_value.get(index, [])
    return bool(passes) and _meets_features(graph, index, graph.flow.loss_histories[passes[-1]])


def _made_in_constructor(graph: Graph, index: int) -> bool:
    """Whether its numbers were drawn by the code that builds its module (data comes from outside)."""
    param, trace = graph.trace.params[index], graph.trace
    made = trace.values[param.value].created if param.value >= 0 else param.created
    if made < 0 or param.assigned < 0:
        return False
    builders = {
        _function(graph, n) for n in trace.stacks[param.assigned] if "__init__" in trace.frames[n].function
    }
    return any(_function(graph, n) in builders for n in trace.stacks[made])


def _function(graph: Graph, frame: int) -> tuple[str, str]:
    return graph.trace.frames[frame].file, graph.trace.frames[frame].function


def _meets_features(graph: Graph, index: int, history: set[int]) -> bool:
    """Whether, before the loss, it is joined with a value that is learned and depends on the data, and not by way of
    a weight that it is the fixed part of."""
    trace, flow = graph.trace, graph.flow
    queue = deque(v for v in flow.values_of.get(index, ()) if v in history)
    seen = set(queue)
    while queue:
        vid = queue.popleft()
        for op in flow.consumers.get(vid, ()):
            kind, outs = flow.kind(op), [o for o in trace.ops[op].outs if o in history]
            if outs and trace.values[vid].param == index and _looks_up(graph, op):
                return True
            if kind.grad_off != -1 or not outs or kind.name in _PERIODIC:
                continue
            if trace.values[vid].requires_grad and _looks_up(graph, op):
                continue  # a codebook that is learned as a transformation of fixed vectors
            others = [v for v in trace.ops[op].ins if v not in seen and trace.values[v].requires_grad]
            same = any(trace.values[v].shape == trace.values[vid].shape for v in others)
            if any(v in flow.from_data for v in others):
                if math.prod(trace.values[outs[0]].shape) > 1 and not (same and "sub" in kind.name):
                    return True
            elif not same:  # W + B @ A, W * mask: the fixed part of a weight
                queue.extend(o for o in outs if o not in seen)
                seen.update(outs)
    return False


def _looks_up(graph: Graph, op: int) -> bool:
    """Whether rows are picked out of a tensor by indices that come from the data, as in an embedding."""
    picked = [graph.trace.values[v] for v in graph.trace.ops[op].ins]
    whole = graph.flow.kind(op).name in _LOOK_UPS and graph.flow.kind(op).grad_off == -1
    return whole and any(v.param < 0 and v.dtype.startswith(("int", "uint")) for v in picked)
