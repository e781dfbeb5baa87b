"""A buffer holds random values, is computed with, and can never be learned."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group

_PERIODIC = {"sin", "cos"}  #: random Fourier features: fixed on purpose


def check(graph: Graph) -> Iterator[Finding]:
    """Random buffers that reach the loss, never change, and stand where a Parameter would stand."""
    params = graph.trace.params
    found = [i for i, p in enumerate(params) if p.role == "buffer" and _meant_to_learn(graph, i)]
    for _, indices in group((params[i].owner, i) for i in found):
        names = graph.names(indices)
        yield Finding(
            rule="buffer-instead-of-parameter",
            severity="warning",
            title=f"{', '.join(names)} keeps its random initial value: it is a buffer, not a Parameter",
            parameters=names,
            link=1,
            causes=tuple(s for i in indices for s in graph.sites(params[i].assigned, "created", 0)),
            path=graph.path(indices[0]),
            evidence={
                "requires_grad": False,
                "weight_change": 0.0,
                "norm": (params[indices[0]].first or (None,))[0],
            },
            fix="If it is to be learned, assign nn.Parameter(...) instead of calling register_buffer; "
            "a buffer is saved and moved with the module but never trained.",
        )


def _meant_to_learn(graph: Graph, index: int) -> bool:
    param = graph.trace.params[index]
    still = not param.changed and not graph.updates.touching("write", index)
    if not still or not graph.at_random(index) or index not in graph.flow.by_value:
        return False
    ops = graph.flow.uses(index)
    if any(graph.flow.kind(op).name in _PERIODIC for op in _next(graph, ops)):
        return False
    if param.origin & t.INIT:
        return True
    return any(_learned_partner(graph, index, op) for op in ops)


def _next(graph: Graph, ops: list[int]) -> set[int]:
    flow = graph.flow
    after = {c for op in ops for out in graph.trace.ops[op].outs for c in flow.consumers.get(out, ())}
    return after | set(ops)


def _learned_partner(graph: Graph, index: int, op: int) -> bool:
    """Computed with something that is learned, and not as the fixed base of a learned difference (W + B @ A)."""
    shape = graph.trace.params[index].shape
    partners = [
        graph.trace.values[v] for v in graph.trace.ops[op].ins if graph.trace.values[v].param != index
    ]
    learned = [v for v in partners if v.requires_grad]
    return bool(learned) and not any(v.shape == shape for v in learned)
