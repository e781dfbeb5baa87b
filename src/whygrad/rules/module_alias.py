"""Two names, or several places of a container, hold one and the same module where separate ones were meant.

## What it means
``target_net = q_net`` copies nothing: both names are the same object, with the same weights. A target network, a
teacher or an average must stand still, or follow slowly, while the other one trains. As a second name it moves with
every step, ``target_net.load_state_dict(q_net.state_dict())`` copies each weight onto itself, and the model chases its
own output. A list or a dictionary of the live tensors (``[p.data for p in model.parameters()]``, a shadow made of
``state_dict().items()``) is no copy either. In the same way ``[layer] * 6`` is one layer used six times: a deep model with
the weights of one layer.

## How to recognise it
``target_net is q_net`` is true. The model has fewer parameters than its layers should have.

## Example
```python
target_net = q_net
blocks = nn.ModuleList([nn.TransformerEncoderLayer(64, 4)] * 6)
```

## Use instead
```python
target_net = copy.deepcopy(q_net)
blocks = nn.ModuleList([nn.TransformerEncoderLayer(64, 4) for _ in range(6)])
```

## Not this rule
The best of several models that are each made anew; lists of parameters for clipping or a penalty.
A shared encoder that is applied to two inputs, tied weights, an activation that is used several times, a second name for
the same model that nothing treats as another one, and layers that share their weights on purpose.

## References
- https://docs.python.org/3/library/copy.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
- https://github.com/datawhalechina/easy-rl/issues/140
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.aliasing import in_loss

_WHY = {
    "copied": "its weights are copied onto themselves",
    "averaged": "its weights are averaged with themselves",
    "target": "it gives the targets of its own training, which move with every step",
    "best": "the best model so far goes on training with it",
    "shadow": "they are averaged with themselves",
    "listed": "the best weights so far go on training with it",
}
_HOLDS = ("listed", "shadow")  #: its tensors are kept, not the module


def check(graph: Graph) -> Iterator[Finding]:
    """Aliases that something shows to be meant as copies, and layers repeated by one expression."""
    facts = graph.trace.learning.snapshots
    for alias in facts.aliases:
        if alias.how == "target" and not in_loss(graph, alias.use, alias.params):
            continue
        yield Finding(
            rule="module-alias",
            severity="error" if alias.ran else "warning",
            title=f"{alias.name} is {alias.other} itself, no copy: {_WHY[alias.how]}"
            if alias.how not in _HOLDS
            else f"{alias.name} holds the parameters of {alias.other}, no copies: {_WHY[alias.how]}",
            parameters=graph.names(alias.params),
            link=10,
            causes=distinct([*graph.sites(alias.stack, "alias", 0), *graph.sites(alias.use, "used", 0)]),
            evidence={"names": f"{alias.name}, {alias.other}", "how": alias.how},
            fix=f"{alias.name} = copy.deepcopy({alias.other})."
            if alias.how not in _HOLDS
            else "Keep copies: p.detach().clone().",
        )
    for one in facts.repeated:
        if one.meant:
            continue
        yield Finding(
            rule="module-alias",
            severity="warning",
            title=f"one {one.kind} fills {one.count} places: {one.text} repeats the same module and its weights",
            parameters=graph.names(one.params),
            link=10,
            causes=distinct(
                [*graph.sites(one.stack, "repeated", 0), *graph.sites(one.created, "created", 0)]
            ),
            evidence={"places": one.count, "parameters_of_one": len(one.params)},
            fix="Make each one anew: [Layer(...) for _ in range(n)].",
        )
