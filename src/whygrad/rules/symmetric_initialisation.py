"""All units of a layer start as copies of each other, and training can't tell them apart.

## What it means

Units with the same weights, before and behind them, compute the same value, get the same gradient and make the same
step, for ever: a layer of 32 units is worth one. A constant initialisation does that (``constant_``, ``ones_``,
``torch.full``, ``torch.zeros``), and so do heads or experts that are deep copies of one module and see the same data.
Random numbers are what tells units apart; for biases, and for the weights of normalisation layers, constants are fine.

## How to recognise it

``(w - w[:1]).abs().max()`` is 0 for the weight of a hidden layer, before and after training. The loss falls a little and
then stays.

## Example

```python
nn.init.constant_(layer.weight, 0.1)
self.w = nn.Parameter(torch.ones(hidden, inputs))
self.heads = nn.ModuleList([copy.deepcopy(head) for _ in range(4)])     # and the mean of their outputs
```

## Use instead

```python
nn.init.xavier_uniform_(layer.weight)
self.w = nn.Parameter(torch.randn(hidden, inputs) / inputs**0.5)
self.heads = nn.ModuleList([Head() for _ in range(4)])
```

## Not this rule

Anything that starts alike and comes apart in training: last layers that start at zero, LoRA, gates, layer scales,
depthwise kernels that average, copies that see different data. Layers with a single unit.

An `error` is what was observed: rows equal at the first look, and still equal, to 0.001 of the way that they went, at the
last. Of 43 weights in healthy scripts that began with equal rows, 42 had seven of eight rows or more apart after ten steps;
the other one was a single zero convolution. A `warning`: a constant other than 0 in all weights of two or more layers,
that only dropout or random biases tell apart.

## References

- https://cs231n.github.io/neural-networks-2/#init
- https://docs.pytorch.org/docs/stable/nn.init.html
- https://www.deeplearningbook.org/contents/optimization.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.symmetry import Symmetric, barely_apart, symmetric

_LAYERS = 2  #: one alone has no hidden units: a regression may start from any constant


def check(graph: Graph) -> Iterator[Finding]:
    """Weights whose units began and ended alike, and copies of modules that stayed copies."""
    found = symmetric(graph)
    if found:
        units, kinds = max((s.units, s.kinds) for s in found)
        yield Finding(
            rule="symmetric-initialisation",
            severity="error",
            title=f"{graph.count(s.param for s in found)}: all units have the same weights, at the start and after training "
            f"({kinds} different {'row' if kinds == 1 else 'rows'} among {units})",
            parameters=graph.names(s.param for s in found),
            link=10,
            causes=_places(graph, [s.param for s in found]),
            evidence={"units": units, "different_at_start": 1, "different_at_end": kinds},
            fix="Start the weights from random numbers (the default of torch's layers, or nn.init.xavier_uniform_, "
            "kaiming_uniform_); only biases may be constant.",
        )
    else:
        yield from _constants(graph)
    yield from _copies(graph, found)


def _constants(graph: Graph) -> Iterator[Finding]:
    rows = barely_apart(graph)
    own = sorted({r.param for r in rows})
    random = [i for i in graph.updates.holders if _at_random(graph, i)]
    constants = {r.param for r in graph.trace.learning.rows if r.constant}
    if not own or random or len(constants) < _LAYERS:
        return
    yield Finding(
        rule="symmetric-initialisation",
        severity="warning",
        title=f"{graph.count(own)} start with one and the same number everywhere: their units differ by chance only",
        parameters=graph.names(own),
        link=10,
        causes=_places(graph, own),
        evidence={"constant": rows[0].constant},
        fix="Start the weights from random numbers (nn.init.xavier_uniform_, kaiming_uniform_).",
    )


def _at_random(graph: Graph, index: int) -> bool:
    """Whether a trained weight matrix started from random (or loaded) numbers."""
    own = graph.trace.params[index]
    alike = {r.param for r in graph.trace.learning.rows}
    return len(own.shape) > 1 and own.shape[0] > 1 and index not in alike


def _copies(graph: Graph, found: list[Symmetric]) -> Iterator[Finding]:
    known = {s.param for s in found}
    pairs = [t for t in graph.trace.learning.twins if all(_learned(graph, i) for i in t.params)]
    own = sorted({i for twins in pairs for i in twins.params} - known)
    if not own:
        return
    most = max(len(twins.params) for twins in pairs)
    yield Finding(
        rule="symmetric-initialisation",
        severity="warning",
        title=f"{graph.count(own)} are {most} copies of the same module that stayed equal, bit for bit, in training",
        parameters=graph.names(own),
        link=10,
        causes=_places(graph, own[::-1]),
        evidence={"copies": most},
        fix="Construct each of them anew, so that each gets random numbers of its own, instead of copying one.",
    )


def _learned(graph: Graph, index: int) -> bool:
    """Whether gradients have trained it (and not a copy from its twin)."""
    return graph.updates.trained(index) and not graph.updates.touching("write", index)


def _places(graph: Graph, params: list[int]) -> tuple[Site, ...]:
    """Where the constants were written, and where the parameters were made or put."""
    written = [s for i in params for s in graph.sites(graph.trace.params[i].written, "initialised", 0)]
    made = [s for i in params[:2] for s in graph.sites(graph.trace.params[i].created, "created", 1)]
    return distinct([*written, *made])[:3]
