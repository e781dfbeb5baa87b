"""The parameter gets gradients, and no optimizer holds it.

## What it means
An optimizer changes only what it was given. The parameters here take part in the forward pass, are in training mode, at
the values of a random initialisation, and get a gradient in every pass; none of them is in a parameter group. Typical: the
optimizer was built over one submodule or one of two models, a filter by name left some out, a generator of parameters had
been used up before, a loss with parameters of its own was forgotten.

## How to recognise it
The loss falls, since the rest learns, but a part of the model stays at its random values, while its ``.grad`` grows.

## Example
```python
optimizer = torch.optim.Adam(decoder.parameters())
loss = criterion(decoder(encoder(x)), y)
```

## Use instead
```python
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
loss = criterion(decoder(encoder(x)), y)
```

## Not this rule
Networks that are fixed on purpose: frozen, in eval mode, loaded or copied (teachers, target networks), applied to the
prediction and to the target alike (perceptual losses), or the whole model where the input is what is optimised.

## References
- https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.add_param_group.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group, successors


def check(graph: Graph) -> Iterator[Finding]:
    """Registered parameters at random values that every pass gives a gradient, outside all optimizers."""
    trace, params = graph.trace, graph.trace.params
    empty = {n for n, o in enumerate(trace.optimizers) if any(not g.params for g in o.groups)}
    # a check of a model says which optimizer is to train it
    asked = trace.learning.checked is not None and not trace.learning.checked.of_step
    if (
        not asked
        and not empty
        and not any(params[i].role == "parameter" and params[i].root for i in graph.updates.holders)
    ):
        return  # nothing of a model is trained at all: an image or a latent is
    stale = [i for i in graph.sick(8) if i in graph.updates.holders and graph.stale(i)]
    replaced = {n for i in stale for n in successors(graph, i)}
    outside = [i for i in graph.sick(8) if i not in graph.updates.holders and i not in replaced]
    for root, indices in group((params[i].root, i) for i in outside):
        kin = {o for i, held in graph.updates.holders.items() if params[i].root == root for o, _ in held}
        kin = kin or empty
        if not kin and not asked and _compares(graph, indices[0]):
            continue
        optimizers = [trace.optimizers[o] for o in sorted(kin or set(range(len(trace.optimizers))))]
        places: list[Site] = [s for o in optimizers for s in graph.sites(o.created, "optimizer", 1)]
        norms = [graph.gradients.of[i][-1][1].norm for i in indices]
        yield Finding(
            rule="parameter-not-in-optimizer",
            severity="error" if kin or asked else "warning",
            title=f"{graph.count(indices)} get gradients that no optimizer applies"
            + (", and a parameter group is empty" if empty else ""),
            parameters=graph.names(indices),
            link=8,
            causes=distinct([*places, *graph.sites(params[indices[0]].created, "created", 0)]),
            path=graph.path(indices[0]),
            evidence={"grad_norm": max(norms), "weight_change": 0.0},
            fix="A generator of parameters can be used once only: make a list of it. "
            if empty
            else "Give the optimizer the parameters of the whole model, or freeze these (requires_grad_(False)) if they are "
            "to stay as they are.",
        )


def _compares(graph: Graph, index: int) -> bool:
    """Whether the network of a parameter is applied to what is learned and to plain data in every pass: it measures
    a distance between the two."""
    trace, flow = graph.trace, graph.flow
    for number, _ in graph.gradients.good(index):
        history = flow.loss_histories[number]
        learned = {
            any(trace.values[v].requires_grad for v in trace.ops[op].ins if trace.values[v].param < 0)
            for op in flow.uses(index)
            if any(o in history for o in trace.ops[op].outs)
        }
        if len(learned) < 2:
            return False
    return True
