"""Losses that are not finite: the first operation of the forward pass that made such a number out of finite ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations that can make an infinite or undefined number of ordinary ones.
_RISKY = (
    "log", "div", "truediv", "rtruediv", "rdiv", "reciprocal", "sqrt", "rsqrt", "pow", "rpow", "exp", "norm", "std",
    "var", "softmax", "cross_entropy", "entropy", "acos", "asin", "atanh", "acosh", "cosh", "sinh", "tan", "loss",
    "mean", "matmul", "linear", "sum", "prod", "square", "logit", "erfinv", "lgamma", "digamma", "inverse", "det",
)  # fmt: skip
#: Operations that only lay one thing over another, or hand on what they are given.
_LAID_OVER = (
    "add", "radd", "iadd", "masked_fill", "where", "view", "reshape", "transpose", "unsqueeze", "squeeze", "expand",
    "getitem", "to", "float", "triu", "tril", "permute", "contiguous", "baddbmm",
)  # fmt: skip
_CERTAIN = 22  #: how many of them come before those that need enormous operands


class First:
    """Where a loss became non-finite. ``ops``: the first operation, or those among which it must be; ``given``: what is
    known of their operands; ``sources``: values that were not finite when they came in."""

    __slots__ = ("backward", "given", "ops", "sources")

    def __init__(self, backward: int, ops: list[int], sources: list[int], given: list[t.Operand]) -> None:
        self.backward, self.ops, self.sources, self.given = backward, ops, sources, given


def first_nonfinite(graph: Graph) -> First | None:
    """The origin of the first loss that was not finite, if the gradients before it were."""
    for census in graph.trace.censuses:
        if census.backward >= len(graph.trace.backwards):
            continue
        found = _origin(graph, census)
        if found is not None:
            return found
    return None


def spoilt_by(graph: Graph, found: First) -> list[int]:
    """The parameters that the loss has spoilt: they were in its backward, and the weights or all later losses were not
    finite either."""
    passes = [b for b in graph.trace.backwards[found.backward :] if b.loss is not None]
    later = passes[len(passes) // 2 :]
    lasting = len(passes) > 1 and not any(math.isfinite(b.loss or 0.0) for b in later)
    reached = graph.trace.backwards[found.backward].reached
    lost = lasting or math.isfinite(graph.updates.spoilt)
    return [i for i in reached if graph.trace.params[i].named] if lost else []


def _origin(graph: Graph, census: t.Census) -> First | None:
    known = {o.value: o for o in census.operands}
    params = [v for v, o in known.items() if o.nonfinite and graph.trace.values[v].param >= 0]
    earlier = {p for b in graph.trace.backwards[: census.backward] for p in b.reached}
    if any(graph.trace.values[v].param in earlier for v in params):
        return None  # the weights had become so before: in an earlier backward pass
    fine = {v for v, o in known.items() if not o.nonfinite} | _deliberate(graph, known, census.backward)
    ops: dict[int, None] = {}
    sources: dict[int, None] = {}
    stack, seen = list(graph.trace.backwards[census.backward].losses), set[int]()
    while stack:
        vid = stack.pop()
        if vid in seen or vid in fine:
            continue
        seen.add(vid)
        value = graph.trace.values[vid]
        if value.param >= 0 or value.op < 0:
            if vid in known or _part_of_known(graph, known, vid):
                sources.setdefault(vid)
            continue
        open_ = [v for v in graph.trace.ops[value.op].ins if v not in fine and _open(graph, known, v)]
        stack += open_
        if not open_:
            ops.setdefault(value.op)
    chosen = _likeliest(graph, sorted(ops), known) if not sources else []
    if _scaled(graph, census.backward) in chosen:
        return None  # a GradScaler looking for its scale
    given = [known[v] for op in chosen for v in graph.trace.ops[op].ins if v in known]
    return First(census.backward, chosen, list(sources), given) if chosen or sources else None


def _scaled(graph: Graph, backward: int) -> int:
    """The operation by which a GradScaler multiplied the loss of a pass, -1 if none did."""
    passes = graph.trace.backwards
    since = passes[backward - 1].tick if backward else 0
    scaled = any(since < e.tick < passes[backward].tick for e in graph.updates.events.get("scale", ()))
    return graph.trace.values[passes[backward].losses[0]].op if scaled else -1


def _deliberate(graph: Graph, known: dict[int, t.Operand], backward: int) -> set[int]:
    """Infinite numbers that are there on purpose: a mask of -inf, and what it was laid over."""
    found = {v for v, o in known.items() if o.nonfinite and not o.nan and _is_data(graph.trace.values[v])}
    for op in graph.trace.ops:
        if op.tick > graph.trace.backwards[backward].tick:
            break
        kind = graph.trace.kinds[op.kind]
        given = not found.isdisjoint(op.ins) or any("inf" in text for text in kind.args.values())
        if given and kind.name.strip("_") in _LAID_OVER:
            found.update(v for v in op.outs if v not in known or not known[v].nan)
    return found


def _is_data(value: t.Value) -> bool:
    return value.op < 0 and value.param < 0


def _open(graph: Graph, known: dict[int, t.Operand], vid: int) -> bool:
    """Whether a value may have brought the fault along: not one that came from outside and is gone, of which nothing is
    known."""
    return vid in known or graph.trace.values[vid].op >= 0 or _part_of_known(graph, known, vid)


def _part_of_known(graph: Graph, known: dict[int, t.Operand], vid: int) -> bool:
    """Whether a value that is gone was taken of data that is still there and holds non-finite numbers."""
    imports = set(graph.trace.values[vid].imports)
    others = [graph.trace.values[v] for v, o in known.items() if o.nan]
    return any(_is_data(v) and imports & set(v.imports) for v in others) if imports else False


def _likeliest(graph: Graph, ops: list[int], known: dict[int, t.Operand]) -> list[int]:
    """Of several operations in question those that can have done it, by what they are and by what they were given."""
    shown = [op for op in ops if any(known[o].nonfinite for o in graph.trace.ops[op].outs if o in known)]
    if shown:
        return shown[:1]
    by_range = [op for op in ops if _out_of_domain(graph, op, known)]
    if by_range:
        return by_range[:3]
    for names in (_RISKY[:_CERTAIN], _RISKY):
        risky = [op for op in ops if any(name in graph.label(op) for name in names)]
        if risky:
            return risky[:3]
    return ops[:3]


def _out_of_domain(graph: Graph, op: int, known: dict[int, t.Operand]) -> bool:
    """Whether an operand lies where the function is infinite or not defined."""
    name = graph.label(op)
    operands = [known[v] for v in graph.trace.ops[op].ins if v in known]
    if not operands:
        return False
    if "log" in name and "softmax" not in name and "loss" not in name:
        return operands[0].low <= 0
    if "sqrt" in name:
        return operands[0].low < 0 or ("rsqrt" in name and operands[0].low == 0)
    if "div" in name or "reciprocal" in name:
        return operands[-1].low <= 0 <= operands[-1].high and operands[-1].zeros > 0
    return "exp" in name and operands[0].high > math.log(3.4e38)
