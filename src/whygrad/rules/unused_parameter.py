"""No operation of the forward pass consumes the parameter.

## What it means
The layer was built and registered, the optimizer holds it, and ``forward`` never calls it: it was forgotten, or another one
of the same kind is called in its place (``self.conv2`` twice instead of ``self.conv2`` and ``self.conv3``).

## How to recognise it
``.grad`` is None; a forward hook on the layer never runs. The finding is a warning where a sibling of the same shape is
used twice, or where a check of the whole model was asked for (``whygrad.check(model, ...)``), and a note (not shown by
default) elsewhere, since unused layers are often there on purpose.

## Example
```python
x = self.conv1(x)
x = self.conv2(x)
x = self.conv2(x)
```

## Use instead
```python
x = self.conv1(x)
x = self.conv2(x)
x = self.conv3(x)
```

## Not this rule
Heads for another phase of training, a layer that is shared on purpose, experts that got no input.

## References
- https://docs.pytorch.org/docs/stable/notes/modules.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in an optimizer that nothing computes with: a warning if a twin of the same shape is used twice, or if
    every parameter was asked about."""
    params, checked = graph.trace.params, graph.trace.learning.checked
    asked = checked is not None and not checked.of_step
    for _, indices in group(((params[i].root, params[i].fqn.rpartition(".")[0]), i) for i in graph.sick(3)):
        twin = _used_twice(graph, indices)
        own = params[indices[0]]
        uses = graph.flow.uses(twin[0]) if twin else []
        places = tuple(s for op in sorted(set(uses))[-2:] for s in graph.op_sites(op, "used twice", 0))
        yield Finding(
            rule="unused-parameter",
            severity="warning" if twin or (asked and own.registered) else "note",
            title=f"{graph.count(indices)} are never used in the forward pass"
            + (f", while {params[twin[0]].fqn.rpartition('.')[0]} is used {twin[1]} times" if twin else ""),
            parameters=graph.names(indices),
            link=3,
            causes=places or graph.sites(own.created, "created", 1),
            evidence={"grad_norm": None, "uses": 0},
            fix="Call the layer in forward, or delete it."
            + (" One of the two calls of its twin was probably meant for it." if twin else ""),
        )


def _used_twice(graph: Graph, indices: list[int]) -> tuple[int, int] | None:
    """A sibling of the same class and shape that each pass uses more often than once, where its kin are used once."""
    params = graph.trace.params
    own = params[indices[0]]
    parent = own.fqn.rpartition(".")[0].rpartition(".")[0]
    passes = max(1, len(graph.trace.backwards))
    for i, p in enumerate(params):
        alike = p.shape == own.shape and p.owner == own.owner and p.root == own.root and len(p.shape) > 1
        if i in indices or not alike or p.fqn.rpartition(".")[0].rpartition(".")[0] != parent:
            continue
        times = len(set(graph.flow.uses(i))) / passes
        if 1.9 <= times <= 2.1:
            return i, 2
    return None
