"""With which sign the known losses of a backward pass enter what it starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.sources import SOFTMAX, linear_step, name_of, source

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Functions whose result is least where the output is right. (Similarities, log-probabilities and entropies are not.)
_LOSSES = {
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div", "ctc_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "soft_margin_loss", "triplet_margin_loss", "margin_ranking_loss",
    "hinge_embedding_loss", "cosine_embedding_loss", "gaussian_nll_loss", "poisson_nll_loss",
}  # fmt: skip
KEEPS = {
    "mean", "sum", "nanmean", "squeeze", "view", "reshape", "flatten", "to", "float", "double", "clone", "contiguous",
    "getitem", "stack", "cat", "unsqueeze", "nan_to_num",
}  # fmt: skip
_SQUARES = {"pow", "square", "abs"}


class Term:
    """A loss at operation ``op``, with its sign in the whole (0: it can't be told); ``likely``: it is a log-likelihood, whose
    negative is the loss."""

    __slots__ = ("flip", "likely", "op", "sign")

    def __init__(self, op: int, sign: int, flip: int, likely: bool = False) -> None:
        self.op, self.sign, self.flip, self.likely = op, -sign if likely else sign, flip, likely


def terms(graph: Graph, value: int) -> list[Term] | None:
    """What a loss consists of; None if a part of it is of an unknown kind. ``flip``: the operation that turned the sign
    (-1: none)."""
    found: list[Term] = []
    queue = [(value, 1, -1, 0)]
    while queue:
        vid, sign, flip, depth = queue.pop()
        own = graph.trace.values[vid]
        if not own.requires_grad:
            continue  # a constant
        if own.op < 0 or own.param >= 0 or depth > 60 or len(found) > 40:
            return None
        if _likelihood(graph, own.op):
            found.append(Term(own.op, sign, flip, likely=True))
            continue
        parts = _parts(graph, own.op, sign)
        if parts is None:
            return None
        if not parts:
            found.append(Term(own.op, sign, flip))
        for part, signed in parts:
            queue.append((part, signed, own.op if signed != sign else flip, depth + 1))
    return found


def _parts(graph: Graph, op: int, sign: int) -> list[tuple[int, int]] | None:
    """The values that an operation takes up with their signs; none for a loss; None if it is not known."""
    name, ins = name_of(graph, op), graph.trace.ops[op].ins
    if name in _LOSSES or (name in _SQUARES and _is_error(graph, op)):
        return []
    if name in KEEPS:
        return [(v, sign) for v in ins]
    step = linear_step(graph, op)
    if step is not None:
        return None if step[0] == 0 else [(ins[0], sign if step[0] > 0 else -sign)]
    if name in ("add", "radd", "iadd"):
        return [(v, sign) for v in ins]
    if name in ("sub", "isub", "subtract") and len(ins) == 2:
        return [(ins[0], sign), (ins[1], -sign)]
    return None


def _likelihood(graph: Graph, op: int) -> bool:
    """Whether an operation picks the log-probabilities of the targets, or weighs them with targets of zeros and ones.

    Of actions that a policy has sampled they are weighed with rewards afterwards, and are no known term then.
    """
    name, ins = name_of(graph, op), graph.trace.ops[op].ins
    if len(ins) < 2:
        return False
    if name in ("gather", "take_along_dim", "getitem"):
        return _outside(graph, ins[1]) and name_of(graph, source(graph, ins[0]).op) == "log_softmax"
    if name not in ("mul", "rmul", "multiply"):
        return False
    kind = graph.trace.ops[op].kind
    masks = [m for m in graph.trace.learning.targets.masks if graph.trace.ops[m.op].kind == kind]
    other = next((v for v in ins if graph.trace.values[v].requires_grad), -1)
    if not masks or other < 0 or all(graph.trace.values[v].requires_grad for v in ins):
        return False
    logs = source(graph, other).op
    if name_of(graph, logs) in ("log_softmax", "log"):
        one_hot = all(m.one_hot for m in masks)
        made = name_of(graph, logs)
        of = "" if made == "log_softmax" else _under(graph, graph.trace.ops[logs].ins[0])
        return (one_hot and (made == "log_softmax" or of in SOFTMAX)) or of == "sigmoid"
    return name_of(graph, logs) == "logsigmoid" and not any(m.one_hot for m in masks)


def _under(graph: Graph, value: int) -> str:
    """What a probability or its complement was made by."""
    return name_of(graph, source(graph, value, linear=True).op)


def _outside(graph: Graph, value: int) -> bool:
    """Whether a value does not depend on a parameter (as sampled actions do)."""
    return not graph.trace.values[value].requires_grad and not graph.trace.values[value].origin & t.PARAMETER


def _is_error(graph: Graph, op: int) -> bool:
    """Whether a square or an absolute value is that of an output minus a target from outside the model."""
    kind, ins = graph.flow.kind(op), graph.trace.ops[op].ins
    if name_of(graph, op) == "pow" and kind.args.get("1") not in ("2", "2.0", "4"):
        return False
    made = graph.trace.values[ins[0]].op if ins else -1
    if (
        made < 0
        or name_of(graph, made) not in ("sub", "rsub", "subtract")
        or len(graph.trace.ops[made].ins) != 2
    ):
        return False
    return sum(graph.trace.values[v].requires_grad for v in graph.trace.ops[made].ins) == 1


def target_of(graph: Graph, op: int) -> int:
    """The value that a loss compares with: the first input that does not require grad; -1 if there is none."""
    ins = graph.trace.ops[op].ins
    if name_of(graph, op) in _SQUARES:
        ins = graph.trace.ops[graph.trace.values[ins[0]].op].ins
    return next((v for v in ins if not graph.trace.values[v].requires_grad), -1)
