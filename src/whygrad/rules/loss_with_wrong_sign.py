"""The loss is maximised.

## What it means

An optimizer walks downhill: `step` subtracts the gradient of what `backward` was called on. A minus before a loss that is
least where the model is right, or `maximize=True` with such a loss, drives the model away from its targets. The same goes
for one term: `1 + logvar - mu**2 - exp(logvar)` is at most 0, and added without its minus it drives the posterior of a
variational autoencoder away from the prior without end.

## How to recognise it

The loss itself rises from step to step, or the number that is printed falls far below 0; accuracy goes to 0.

## Example

```python
loss = -F.cross_entropy(model(x), y)
loss.backward()
optimizer.step()
```

## Use instead

```python
loss = F.cross_entropy(model(x), y)
loss.backward()
optimizer.step()
```

## Not this rule

What is meant to be large: log-probabilities of sampled actions times rewards, similarities, an entropy bonus, an evidence
lower bound (`-elbo`, whose terms are negative losses already). Adversaries: a generator against its discriminator, a
perturbation or a dual variable that climbs while the model itself is not stepped, a term that is taken away from another
loss.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.divergences import Divergence, divergences
from whygrad.graph.signs import Term, target_of, terms

_UNKNOWN = t.LOADED | t.DATA | t.RANDOM | t.PARAMETER | t.INIT


def check(graph: Graph) -> Iterator[Finding]:
    """What the steps drive up: all losses of a backward pass, or a divergence from the prior."""
    yield from _whole(graph)
    yield from _divergence(graph)


def _divergence(graph: Graph) -> Iterator[Finding]:
    """A divergence written by hand that every pass makes larger: it has no greatest value, so no loss is meant so."""
    found: list[tuple[int, Divergence]] = [
        (index, one)
        for index, backward in enumerate(graph.trace.backwards)
        if len(backward.losses) == 1 and not backward.raised
        for one in divergences(graph, backward.losses[0])
    ]
    if (
        not found
        or len(found) < min(2, len(graph.trace.backwards))
        or any(one.sign * _climbs(graph, index) > 0 or not _all_stepped(graph, index) for index, one in found)
    ):
        return
    index, one = found[0]
    backward = graph.trace.backwards[index]
    values = [graph.trace.backwards[i].loss for i, _ in found]
    yield Finding(
        rule="loss-with-wrong-sign",
        severity="error",
        title="the steps drive the divergence from the standard Gaussian up: 1 + v - m**2 - exp(v) is at most 0, and it "
        "enters the loss with a plus",
        parameters=graph.names([g.param for g in backward.grads]),
        link=10,
        causes=distinct(
            [
                *(graph.op_sites(one.total, "minus missing", 0) if one.total >= 0 else ()),
                *graph.op_sites(one.op, "divergence", 0),
                *graph.sites(backward.stack, "backward", 0),
            ]
        )[:3],
        evidence={"first": values[0], "last": values[-1], "passes": len(found)},
        fix="Put a minus before it (-0.5 * the sum): the divergence itself is what training makes small.",
    )


def _whole(graph: Graph) -> Iterator[Finding]:
    """Backward passes all of whose losses are driven up by the steps that follow."""
    found: dict[tuple[int, int], list[tuple[int, Term]]] = {}
    upright: set[int] = set()
    for index, backward in enumerate(graph.trace.backwards):
        own = terms(graph, backward.losses[0]) if len(backward.losses) == 1 and not backward.raised else None
        known = [(term, _climbs(graph, index) * term.sign) for term in own or ()]
        if known and all(sign < 0 for _, sign in known):
            if _all_stepped(graph, index) and any(_from_data(graph, term) for term, _ in known):
                place = (backward.stack, _kind(graph, known[0][0].flip))
                found.setdefault(place, []).append((index, known[0][0]))
            continue
        upright.update(g.param for g in backward.grads)
    for (stack, _), passes in found.items():
        index, term = passes[0]
        flip = term.flip
        params = [g.param for g in graph.trace.backwards[index].grads]
        if upright.intersection(params) or len(passes) < min(2, len(graph.trace.backwards)):
            continue  # another pass trains them the right way: the two sides of a game
        optimizer = _stepper(graph, index)
        maximize = term.sign > 0 and optimizer is not None
        name = graph.label(term.op)
        made = graph.sites(optimizer.created, "maximizes", 0) if maximize and optimizer is not None else ()
        values = [graph.trace.backwards[i].loss for i, _ in passes]
        yield Finding(
            rule="loss-with-wrong-sign",
            severity="error",
            title=f"the steps drive the log-probabilities of the targets down: nothing negates those of {name}"
            if term.likely and flip < 0 and not maximize
            else f"the steps drive the loss up: {name} is "
            + ("given to an optimizer with maximize=True" if maximize else "negated before backward"),
            parameters=graph.names(params),
            link=10,
            causes=distinct(
                [
                    *made,
                    *(graph.op_sites(flip, "sign turned", 0) if flip >= 0 else ()),
                    *graph.op_sites(term.op, "loss", 0),
                    *(
                        graph.op_sites(_last(graph, index), "minus missing", 0)
                        if term.likely and flip < 0
                        else ()
                    ),
                    *graph.sites(stack, "backward", 0),
                ]
            )[:3],
            evidence={"first": values[0], "last": values[-1], "passes": len(passes)},
            fix="Put a minus before it: backward and step make what they are given smaller."
            if term.likely and flip < 0 and not maximize
            else "Take the minus (or maximize=True) away: backward and step make what they are given smaller.",
        )


def _last(graph: Graph, index: int) -> int:
    """The operation that made the loss of a pass."""
    return graph.trace.values[graph.trace.backwards[index].losses[0]].op


def _kind(graph: Graph, op: int) -> int:
    return graph.trace.ops[op].kind if op >= 0 else -1


def _stepper(graph: Graph, index: int) -> t.Optimizer | None:
    """The optimizer whose step used the gradients of a pass."""
    backward = graph.trace.backwards[index]
    after = [s for s in graph.trace.steps if s.tick > backward.tick]
    before = [s for s in graph.trace.steps if s.tick < backward.tick]
    found = before[-1:] if backward.in_step and not after else after[:1]  # a closure runs within the step
    return graph.trace.optimizers[found[0].optimizer] if found else None


def _climbs(graph: Graph, index: int) -> int:
    """-1 if the step after a pass walks uphill."""
    optimizer = _stepper(graph, index)
    groups = optimizer.groups if optimizer is not None else ()
    return -1 if groups and all(g.options.get("maximize") for g in groups) else 1


def _all_stepped(graph: Graph, index: int) -> bool:
    """Whether the step moves every parameter behind the loss: not an adversary, who is set against others' weights."""
    optimizer = _stepper(graph, index)
    if optimizer is None:
        return False
    held = {p for group in optimizer.groups for p in group.params}
    behind = {graph.trace.values[v].param for v in graph.flow.loss_histories[index]} - {-1}
    behind = {p for p in behind if graph.trace.params[p].role == "parameter"}
    return bool(behind) and behind <= held


def _from_data(graph: Graph, term: Term) -> bool:
    """Whether a loss compares with something else than a constant (as the halves of a game do)."""
    if term.likely:
        return True  # class numbers made of a range look like constants
    target = target_of(graph, term.op)
    if target < 0:
        return False
    origin = graph.trace.values[target].origin
    return bool(origin & _UNKNOWN) or not origin & (t.CONSTANT | t.ZEROS)
