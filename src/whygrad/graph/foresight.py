"""How an output came to depend on what it is to predict: the operations that mix positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.finding import Site
from whygrad.graph.axis_flow import axes_of
from whygrad.graph.axis_rules import ATTENTION, DOT_ATTENTION, RECURRENT
from whygrad.graph.chain import distinct

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: The least share of the gradient at the own position. Masked scores give exactly 0; see the rule's page.
LEAST = 1e-5
_PRODUCTS = {"matmul", "bmm", "__matmul__", "baddbmm", "einsum"}


def leaks(graph: Graph) -> list[t.Ahead]:
    """The tests in which the scores depend on the element that they are to predict. A model that reads its targets twice,
    once to remember and once to predict (an autoencoder of text), looks ahead only if all of its readings do."""
    by_loss: dict[int, list[t.Ahead]] = {}
    for test in graph.trace.learning.ahead:
        by_loss.setdefault(test.loss, []).append(test)
    return [tests[0] for tests in by_loss.values() if all(_ahead(test) for test in tests)]


def _ahead(test: t.Ahead) -> bool:
    return test.ahead > LEAST * test.own and test.ahead > 0


def mixing(graph: Graph, test: t.Ahead) -> list[int]:
    """The operations between the inputs and the scores that let later positions in, in order."""
    trace = graph.trace
    before = graph.flow.upstream(trace.ops[test.loss].ins[:1])
    live, found = set(trace.ops[test.op].outs), [test.op] if _mixes(graph, test.op) else []
    for op in range(test.op + 1, test.loss):
        record = trace.ops[op]
        if live.isdisjoint(record.ins) or before.isdisjoint(record.outs):
            continue
        live.update(record.outs)
        if _mixes(graph, op):
            found.append(op)
    return found


def _mixes(graph: Graph, op: int) -> bool:
    kind, record, trace = graph.flow.kind(op), graph.trace.ops[op], graph.trace
    if kind.name in RECURRENT:
        return kind.args.get("7") == "True"
    if kind.name == ATTENTION:
        return kind.args.get("attn_mask") == "None"  # a tensor is not among the plain arguments
    if kind.name == DOT_ATTENTION:
        causal = "True" in (kind.args.get("is_causal"), kind.args.get("5"))
        return not causal and len(record.ins) < 4
    if kind.name == "softmax":
        shape = trace.values[record.ins[0]].shape
        return len(shape) > 1 and shape[-1] == shape[-2] and not _masked(graph, record.ins[0])
    return kind.name.startswith("conv") and len(record.ins) > 1 and _wide(trace.values[record.ins[1]].shape)


def _masked(graph: Graph, vid: int, depth: int = 3) -> bool:
    """Whether scores of attention were masked: filled, or a table of numbers added, in one of the last operations."""
    op = graph.trace.values[vid].op
    if op < 0 or depth == 0:
        return False
    name = graph.flow.kind(op).name
    if name in ("masked_fill", "masked_fill_", "where", "tril", "masked_scatter"):
        return True
    if name in _PRODUCTS:
        return False
    return _masked(graph, graph.trace.ops[op].ins[0], depth - 1)


def _wide(kernel: tuple[int, ...]) -> bool:
    return len(kernel) > 2 and kernel[-1] > 1


def suspects(graph: Graph, test: t.Ahead) -> list[int]:
    """The mixing operations without a mask; else those that leave nothing of the positions (a linear layer along them, a
    mean over them); else all that mix, though they have a mask."""
    return (
        mixing(graph, test) or _contracting(graph, test) or [op for op in _between(test) if _could(graph, op)]
    )


def _between(test: t.Ahead) -> range:
    return range(test.op, test.loss)


def _contracting(graph: Graph, test: t.Ahead) -> list[int]:
    axes = axes_of(graph)
    positions = axes.family([axes.layout(graph.trace.ops[test.op].outs[0])[test.axis]])
    return [
        op for op in _between(test) if axes.consumed.get(op, set()) & positions and not _is_product(graph, op)
    ]


def _is_product(graph: Graph, op: int) -> bool:
    return graph.flow.kind(op).name in _PRODUCTS


def _could(graph: Graph, op: int) -> bool:
    name = graph.flow.kind(op).name
    return name in (ATTENTION, DOT_ATTENTION, "softmax") or name in RECURRENT


def places(graph: Graph, test: t.Ahead, op: int) -> Iterator[Site]:
    """The line to change: a layer's own construction where that decides, the call where a mask is lacking, the place
    where the mask was made where there is one."""
    record, name = graph.trace.ops[op], graph.flow.kind(op).name
    module = graph.trace.learning.modules[record.module] if record.module >= 0 else None
    made = graph.sites(module.created, "created", 0) if module is not None else ()
    here = graph.op_sites(op, "looks ahead", 1)
    made_masks = [*test.masks, *_mask(graph, op)] if _could(graph, op) and not _mixes(graph, op) else []
    masks = [site for stack in made_masks for site in graph.sites(stack, "mask", 0)]
    if name in RECURRENT or name.startswith("conv"):
        yield from distinct([*made, *here])
    else:
        yield from distinct([*masks, *here[:1], *made, *here[1:]])


def _mask(graph: Graph, op: int) -> Iterator[int]:
    """The stacks where the mask of an attention was made: a square table that no parameter lies behind. Where attention is
    written by hand it has been used a few operations before the softmax."""
    trace, near = graph.trace, [op]
    while graph.flow.kind(op).name == "softmax" and len(near) < 4:
        made = trace.values[trace.ops[near[-1]].ins[0]].op
        if made < 0 or graph.flow.kind(made).name in _PRODUCTS or not trace.ops[made].ins:
            break
        near.append(made)
    for one in near:
        for vid in trace.ops[one].ins:
            value = trace.values[vid]
            if value.op < 0 > value.param and len(value.shape) > 1 and value.shape[-1] == value.shape[-2]:
                yield value.created
