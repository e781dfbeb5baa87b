"""A hand-written update computes the new value and does not write it into the parameter."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in no optimizer that get gradients and never change, where the script has no optimizer at all."""
    if graph.updates.has_optimizer():
        return
    idle = [i for i in graph.sick(8) if i not in graph.updates.holders]
    for stacks, indices in group((_dropped(graph, i), i) for i in idle):
        places = [s for stack in stacks for s in graph.sites(stack, "not written", 1)]  # type: ignore[attr-defined]
        backward = graph.sites(graph.trace.backwards[-1].stack, "backward", 0)
        yield Finding(
            rule="update-not-written",
            severity="error",
            title=f"{graph.count(indices)} get gradients and never change: "
            + ("the updated value is computed and thrown away" if places else "nothing updates them"),
            parameters=graph.names(indices),
            link=8,
            causes=distinct([*places, *backward]),
            evidence={"grad_norm": graph.gradients.of[indices[0]][-1][1].norm, "weight_change": 0.0},
            fix="Write in place under torch.no_grad(): p -= lr * p.grad (or p.sub_(...)); `p = p - ...` only binds the name "
            "to a new tensor."
            if places
            else "Build an optimizer over the parameters and call its step() after backward().",
        )


def _dropped(graph: Graph, index: int) -> tuple[int, ...]:
    """Places where the parameter is computed with while autograd is off and nothing takes the result."""
    flow = graph.flow
    ops = [op for op in flow.uses(index) if flow.kind(op).grad_off != -1 or not _grads(graph, op)]
    lost = [op for op in ops if not any(flow.consumers.get(v) for v in graph.trace.ops[op].outs)]
    reads = {
        graph.trace.stacks[e.stack][0] for e in graph.updates.touching("grad-read", index) if e.stack >= 0
    }
    lines = {(graph.trace.frames[n].file, graph.trace.frames[n].statement) for n in reads}
    kept: dict[int, None] = {}
    for op in lost:
        stack = flow.kind(op).stack
        if stack >= 0:
            frame = graph.trace.frames[graph.trace.stacks[stack][0]]
            if (frame.file, frame.statement) in lines or not lines:
                kept.setdefault(stack)
    return tuple(kept)


def _grads(graph: Graph, op: int) -> bool:
    return any(graph.trace.values[v].requires_grad for v in graph.trace.ops[op].outs)
