"""What divides a loss, or gradients, by the number of ranks, by where it stands in the source and what ran there."""

from __future__ import annotations

from collections.abc import Container, Iterable

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across
from whygrad.graph.chain import Graph

_DIVISIONS = {"div", "__truediv__", "true_divide", "div_", "__itruediv__", "divide"}
_PRODUCTS = {"mul", "__mul__", "__rmul__", "mul_", "__imul__", "multiply"}
_MEANS = {
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "multi_margin_loss", "multilabel_margin_loss", "soft_margin_loss", "multilabel_soft_margin_loss", "margin_ranking_loss",
    "triplet_margin_loss", "cosine_embedding_loss",
}  # fmt: skip
_DEPTH = 6  #: operations above the loss that are looked at


def _lines(across: Across, stacks: Iterable[int]) -> set[tuple[str, int]]:
    trace = across.traces[0]
    found = set()
    for stack in stacks:
        found |= {(trace.frames[i].file, trace.frames[i].line) for i in trace.stacks[stack]}
    return found


def _above(graph: Graph) -> list[int]:
    """The operations just above the last loss, from it backwards."""
    passes = [b for b in graph.trace.backwards if b.kind == "backward" and b.losses]
    found: list[int] = []
    values = list(passes[-1].losses) if passes else []
    for _ in range(_DEPTH):
        ops = [graph.trace.values[v].op for v in values if graph.trace.values[v].op >= 0]
        ops = [op for op in dict.fromkeys(ops) if op not in found]
        found += ops
        values = [v for op in ops for v in graph.trace.ops[op].ins]
    return found


def divides_loss(across: Across) -> tuple[f.Site, ...]:
    """Where the loss itself is divided by the number of ranks; empty if it is not."""
    return _on_the_way(across, across.facts[0].said.worlds, _DIVISIONS, "divided by the ranks")


def multiplies_loss(across: Across) -> tuple[f.Site, ...]:
    """Where the loss itself is multiplied by the number of ranks; empty if it is not, or is divided by anything."""
    graph = across.graphs[0]
    if any(graph.flow.kind(op).name in _DIVISIONS and _scalar(graph, op) for op in _above(graph)):
        return ()
    return _on_the_way(across, across.facts[0].said.times, _PRODUCTS, "times the ranks")


def _on_the_way(across: Across, said: Iterable[int], names: Container[str], role: str) -> tuple[f.Site, ...]:
    graph, worlds = across.graphs[0], _lines(across, said)
    stacks = []
    for op in _above(graph):
        kind = graph.flow.kind(op)
        divides = kind.name in names and kind.stack >= 0 and _scalar(graph, op)
        if divides and across.place(0, kind.stack)[0] in worlds:
            stacks.append(kind.stack)
    return across.sites(0, stacks, role, 0)


def divides_gradients(across: Across) -> tuple[f.Site, ...]:
    """Where gradients are divided by the number of ranks (or written at all, where that can't be told)."""
    trace, worlds = across.traces[0], _lines(across, across.facts[0].said.worlds)
    own = list(dict.fromkeys(e.stack for e in trace.events if e.kind == "grad-set" and e.stack >= 0))
    told = [stack for stack in own if across.place(0, stack)[0] in worlds]
    return across.sites(0, told or own[:2], "divided by the ranks", 0)


def loss_is_mean(across: Across) -> bool:
    """Whether the loss is a mean over the rank's own samples, with nothing summed up on the way."""
    graph = across.graphs[0]
    means = False
    for op in _above(graph):
        kind = graph.flow.kind(op)
        if kind.name == "sum" and _scalar(graph, op):
            return False
        if kind.name in _MEANS:
            if _reduction(kind) not in ("mean", ""):
                return False
            means = True
        means = means or (kind.name == "mean" and _scalar(graph, op))
    return means


def _reduction(kind: t.OpKind) -> str:
    words = [v for k, v in kind.args.items() if k == "reduction" or v in ("mean", "sum", "none")]
    return words[0] if words else ""


def _scalar(graph: Graph, op: int) -> bool:
    outs = graph.trace.ops[op].outs
    return bool(outs) and not graph.trace.values[outs[0]].shape
