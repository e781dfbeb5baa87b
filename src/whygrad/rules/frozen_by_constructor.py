"""Nobody asked for it, and yet the parameters are frozen: by the default of an argument, or by from_pretrained.

## What it means
``nn.Embedding.from_pretrained`` and ``nn.EmbeddingBag.from_pretrained`` set ``requires_grad`` to False unless they get
``freeze=False``. Many encoder classes and factories have a default of their own that does the same. Where nothing was
loaded into the layer, it keeps its random values for good; the optimizer accepts frozen parameters in silence.

## How to recognise it
The parameters are in the optimizer, have ``requires_grad`` False and a ``.grad`` of None, and the call that made them
says nothing about freezing.

## Example
```python
self.words = nn.Embedding.from_pretrained(vectors)
```

## Use instead
```python
self.words = nn.Embedding.from_pretrained(vectors, freeze=False)
```

## Not this rule
A freeze that the code asks for: ``freeze=True`` in the call, a linear probe, a loop over ``requires_grad`` in the
script, a class that always freezes what it is given. Frozen parameters that are left out of the optimizer.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html#torch.nn.Embedding.from_pretrained
- https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Frozen by a default, computed with, and held by an optimizer; at random values, or by ``from_pretrained``."""
    params = graph.trace.params
    found = [i for i in graph.sick(0) if i in graph.updates.holders and i in graph.flow.by_value]
    found = [
        i for i in found if _by_torch(graph, i) or (graph.at_random(i) and params[i].frozen_by_default >= 0)
    ]
    for (stack, default), indices in group(
        ((_freeze(graph, i), params[i].frozen_by_default), i) for i in found
    ):
        random = all(graph.at_random(i) for i in indices)
        places = graph.sites(stack, "frozen", 3)
        default_sites = (graph.site(default, "default"),) if default >= 0 else ()
        yield Finding(
            rule="frozen-by-constructor",
            severity="error" if random else "warning",
            title=f"{graph.count(indices)} are frozen at their {'random ' if random else ''}initial values by default",
            parameters=graph.names(indices),
            link=2,
            causes=distinct([*places[:1], *default_sites, *places[1:]]),
            evidence={"requires_grad": False, "grad_norm": None, "weight_change": 0.0},
            fix="Say what you want in the call: freeze=False (or requires_grad_(True) on the module, before the "
            "optimizer is built) lets them train, freeze=True keeps them fixed on purpose.",
        )


def _by_torch(graph: Graph, index: int) -> bool:
    """Whether torch's own ``from_pretrained`` froze it, without having been told to."""
    own = graph.trace.params[index]
    stack = _freeze(graph, index)
    if stack < 0 or own.owner not in ("Embedding", "EmbeddingBag"):
        return False
    code = graph.trace.frames[graph.trace.stacks[stack][0]].code
    return "from_pretrained" in code and "freeze" not in code


def _freeze(graph: Graph, index: int) -> int:
    """Where it was frozen: the last change, or its creation if it was made frozen."""
    own = graph.trace.params[index]
    return own.flips[-1].stack if own.flips else own.created
