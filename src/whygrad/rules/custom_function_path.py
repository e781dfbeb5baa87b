"""A custom autograd Function (or reentrant checkpointing) does not hand the gradient on.

## What it means

Autograd makes a node for `MyFunction.apply(...)` only if one of the tensors among its arguments requires grad. Weights
that the Function reaches in another way (through a module given as an argument, through `.data`) do not count: then
its `backward` never runs. And a `backward` that returns `None` or zeros for an input says that there is no gradient.
Reentrant checkpointing is such a Function: if none of its inputs requires grad, the parameters inside get nothing.

## How to recognise it

The output of `apply` has no `grad_fn`; a `print` in `backward` is never seen, or some parameters' `.grad` stays `None`.

## Example

```python
hidden = checkpoint(first_block, x, use_reentrant=True)     # x is data and requires no grad
```

## Use instead

```python
hidden = checkpoint(first_block, x, use_reentrant=False)
```

Give your own Function its weights as arguments of `apply`, and return a gradient for each of them, in their order.

## Not this rule

`None` for arguments that are no tensors or need no gradient is what `backward` should return.

## References

- https://docs.pytorch.org/docs/stable/notes/extending.html
- https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct, vanished


def check(graph: Graph) -> Iterator[Finding]:
    """Functions applied to inputs that need no gradient, and backwards that return None."""
    for indices, which, ops in blamed(graph, "custom"):
        name = graph.label(ops[0]).removesuffix(".apply")
        checkpoint = name.startswith("Checkpoint")
        yield Finding(
            rule="custom-function-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: no input of {name} requires grad, so its backward never runs",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut", 2)]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None},
            fix="Call checkpoint(..., use_reentrant=False)."
            if checkpoint
            else "Pass the parameter itself to apply(), so that the Function sees an input that requires grad.",
        )
    for group in vanished(graph, "none", "custom"):
        loss = group.losses[0]
        what = "None" if group.how == "none" else "zeros"
        yield Finding(
            rule="custom-function-path",
            severity="error",
            title=f"{graph.count(group.params)} get no gradient: the backward of {loss.name.removesuffix('Backward')} returns {what}",
            parameters=graph.names(group.params),
            link=5 if group.how == "none" else 6,
            causes=distinct(
                [s for one in group.losses if one.op >= 0 for s in graph.op_sites(one.op, "cut", 2)]
            ),
            path=graph.path(group.params[0], loss.op) if loss.op >= 0 else (),
            evidence={"grad_norm": None, "arrives": graph.gradients.arriving(loss)},
            fix="Return the gradient for this input from the Function's backward; None means that there is none.",
        )
    yield from _never_in_graph(graph)


def _never_in_graph(graph: Graph) -> Iterator[Finding]:
    """Functions that keep gradients outside autograd: one application makes no node, though its like do, and the
    buffers behind it are never written, though those of its like are."""
    trace, flow = graph.trace, graph.flow
    params = trace.params
    written = {p for e in graph.updates.events.get("write", ()) for p in e.params}
    applied = [op for op in range(len(trace.ops)) if flow.kind(op).name.endswith(".apply")]
    dead: dict[str, int] = {}
    for op in applied:
        if (
            not any(trace.values[v].requires_grad for v in trace.ops[op].outs)
            and flow.kind(op).grad_off == -1
        ):
            dead[flow.kind(op).name] = op
    for name, op in dead.items():
        behind = {trace.values[v].param for v in flow.upstream(trace.ops[op].ins)} - {-1}
        last = {
            p: params[p].fqn.rpartition(".")[2]
            for p in behind
            if params[p].role == "buffer" and p not in written
        }
        kin = {params[p].fqn.rpartition(".")[2] for p in written if params[p].role == "buffer"}
        still = sorted(p for p, own in last.items() if own in kin)
        if still:
            yield Finding(
                rule="custom-function-path",
                severity="error",
                title=f"{', '.join(graph.names(still))} never change: {name.removesuffix('.apply')} is not in the graph here, "
                "so its backward never runs",
                parameters=graph.names(still),
                link=5,
                causes=distinct(graph.op_sites(op, "cut", 1)),
                evidence={"grad_norm": None, "weight_change": 0.0},
                fix="Give apply() an input that requires grad (a dummy tensor does), so that autograd makes a node for it.",
            )
