"""Backward reached a part of the graph that an earlier backward had already gone through and freed.

## What it means

Backward frees what the operations have saved as it goes. A second backward that comes to the same operations raises
"Trying to backward through the graph a second time". Either one value of an earlier iteration is still part of the
new loss (a hidden state, a running loss, a buffer with history), or something was computed once, outside of the loop
that trains it, or two losses share a forward pass.

## How to recognise it

whygrad compares the two graphs: what they share, where the first backward was, and the value through which the second
graph reaches into the first.

## Example

```python
for batch in stream:
    out, state = rnn(batch, state)  # state brings the graph of all batches before
    loss = criterion(out)
    loss.backward()
```

## Use instead

```python
for batch in stream:
    out, state = rnn(batch, state.detach())
    loss = criterion(out)
    loss.backward()
```

For a running loss add up `loss.item()`. What depends on trained parameters must be computed inside the loop. Two
losses of one forward pass are added up before one backward.

## Not this rule

`retain_graph=True` silences this error, and is right only where the same iteration needs two passes over one graph.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
- https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.sharing import Carry, Shared, operations, shared_with_earlier, sources

Explained = tuple[str, list[Site], str]  #: title, the lines to change, the mend

_MESSAGES = ("backward through the graph a second time", "saved tensors after they have already been freed")
_DETACH = "Detach it where it is taken over (`state = state.detach()`), so that each iteration has a graph of its own"


def check(graph: Graph) -> Iterator[Finding]:
    """Where both passes were, what they share, and what carries it from one to the other."""
    raised, last = graph.trace.raised, len(graph.trace.backwards) - 1
    if raised is None or not any(m in raised.message for m in _MESSAGES):
        return
    shared = shared_with_earlier(graph, last) if last >= 0 else None
    title, places, fix = _explain(graph, shared)
    second = graph.sites(raised.stack, "second backward", 0)
    first = graph.sites(graph.trace.backwards[shared.first].stack, "first backward", 0) if shared else ()
    made = [
        s for c in (shared.carries[:3] if shared else ()) for s in graph.op_sites(c.maker, "made here", 0)
    ]
    yield Finding(
        rule="graph-freed",
        severity="error",
        title=title,
        causes=distinct([*places, *made, *first, *second]),
        evidence={"shared_operations": len(shared.ops)} if shared else {},
        fix=fix,
    )


def _explain(graph: Graph, shared: Shared | None) -> Explained:
    """Title, the lines to change, and the mend."""
    if shared is None:
        title = "backward needs what an earlier pass has freed"
        return title, [], "Look for what this loss shares with an earlier one."
    first, second = (graph.trace.backwards[i] for i in (shared.first, shared.second))
    again = first.stack == second.stack
    if not shared.carries:
        return _same_loss(graph, shared, again)
    carry = shared.carries[0]
    before = all(graph.trace.ops[op].tick < first.tick for c in shared.carries for op in c.users)
    if again and not before:
        return _carried_over(graph, carry, first.tick)
    if first.kind == "grad":
        title = "torch.autograd.grad freed the graph that backward goes through afterwards"
        places = list(graph.sites(first.stack, "freed by", 1))
        return (
            title,
            places,
            "Give it create_graph=True if its result is part of the loss, else retain_graph=True.",
        )
    return _two_losses(graph, shared, carry, before)


def _same_loss(graph: Graph, shared: Shared, again: bool) -> Explained:
    """Both passes began at the same loss."""
    title = "the same loss went through backward twice"
    if not again:
        first = graph.trace.backwards[shared.first].stack
        return title, list(graph.sites(first, "first backward", 0)), "Call backward once."
    losses = graph.trace.backwards[shared.second].losses
    root = graph.trace.values[losses[0]].op if losses else -1
    places = list(graph.op_sites(root if root >= 0 else max(shared.ops), "computed once", 0))
    return title, places, "Compute the loss again in every iteration."


def _carried_over(graph: Graph, carry: Carry, first: int) -> Explained:
    """One place of the loop calls backward, and something reaches from one iteration into the next."""
    trace, name = graph.trace, graph.label(carry.maker)
    kind = trace.ops[carry.maker].kind
    if not any(op.kind == kind and op.tick > first for op in trace.ops):
        places = [
            *graph.op_sites(carry.maker, "computed once", 1),
            *graph.op_sites(carry.users[0], "used again", 1),
        ]
        title = f"the result of {name} was computed once, and its graph is needed by every iteration"
        return title, places, "Compute it inside the loop, so that each backward has a graph of its own."
    places = list(graph.op_sites(carry.users[0], "carried over", 1))
    if not trace.values[carry.value].shape:
        title = "the loss of earlier iterations is part of this one, and their graphs were freed"
        return (
            title,
            places,
            "Add up loss.item() for the log, and call backward on this iteration's loss alone.",
        )
    return (
        f"the result of {name} is carried from one iteration into the next, with its graph",
        places,
        f"{_DETACH}.",
    )


def _two_losses(graph: Graph, shared: Shared, carry: Carry, before: bool) -> Explained:
    """Two places call backward. The part they share belongs to the one that trains its parameters."""
    first, second = (graph.trace.backwards[i] for i in (shared.first, shared.second))
    name = graph.label(carry.maker)
    held = sources(graph, shared.ops)
    steps = [s for s in graph.trace.steps if first.tick < s.tick < second.tick]
    stepped = {r.param for s in steps for r in s.params}
    others = {p for o in graph.trace.optimizers for g in o.groups for p in g.params} - stepped
    detach = "Detach it where it is only looked at: the parameters behind it are trained by the other loss."
    if stepped and not held & stepped and carry.first_users:
        places = list(graph.op_sites(carry.first_users[0], "went through here", 1))
        return f"the first backward went through the result of {name} too, and freed it", places, detach
    if held <= stepped and sources(graph, operations(second) - shared.ops) & others:
        places = list(graph.op_sites(carry.users[0], "used again", 1))
        return f"the second loss goes back into the graph of the first, through {name}", places, detach
    places = list(graph.sites(first.stack, "first backward", 1))
    fix = (
        "Add the losses up and call backward once"
        if before
        else "Run the forward pass again for the second loss"
    )
    title = "two losses share one forward pass, and the first backward freed it"
    return title, places, f"{fix}, or give the first one retain_graph=True."
