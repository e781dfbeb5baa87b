"""Which operation the numbers of a value come from, through what only arranges them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from whygrad import finding as f

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations that choose, arrange or barely change numbers.
PASSIVE = {
    "view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "transpose", "permute", "movedim", "moveaxis",
    "swapaxes", "swapdims", "t", "T", "mT", "contiguous", "clone", "float", "double", "half", "bfloat16", "type",
    "type_as", "to", "cpu", "cuda", "expand", "expand_as", "getitem", "select", "narrow", "index_select",
    "masked_select", "gather", "take_along_dim", "chunk", "split", "unbind", "cat", "concat", "stack", "hstack",
    "vstack", "dropout", "nan_to_num", "masked_fill", "repeat", "repeat_interleave", "flip", "roll", "view_as",
    "reshape_as", "clamp", "clip", "clamp_min", "clamp_max", "requires_grad", "ravel", "atleast_1d", "atleast_2d",
    "alias", "unfold", "rearrange",
}  # fmt: skip
SOFTMAX = {"softmax", "softmin", "gumbel_softmax"}
LOG_LIKE = {"log_softmax", "logsigmoid", "log", "log_prob", "logaddexp", "logsumexp", "logcumsumexp", "log1p"}
_TINY = 0.011  #: what is added to a probability so that its logarithm exists
_LINEAR = (
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "multiply",
    "div",
    "truediv",
    "divide",
    "neg",
    "negative",
)


class Source(NamedTuple):
    """Where numbers come from: operation ``op`` (-1: from a parameter or outside), through ``chain``, the last one
    first; they are ``scale`` times its result plus ``shift``."""

    op: int
    chain: tuple[int, ...]
    scale: float = 1.0
    shift: float = 0.0

    @property
    def same(self) -> bool:
        """Whether they are its result, or as good as that."""
        return self.scale == 1.0 and abs(self.shift) <= _TINY


def name_of(graph: Graph, op: int) -> str:
    """The bare name of an operation, empty for none."""
    return graph.flow.kind(op).name.strip("_") if op >= 0 else ""


def source(graph: Graph, value: int, linear: bool = False, stop: tuple[str, ...] = ()) -> Source:
    """The operation that made the numbers of a value, through what only arranges them (and, if ``linear``, through
    products and sums with a number)."""
    chain: list[int] = []
    scale, shift = 1.0, 0.0
    while value >= 0 and len(chain) < 40:
        own = graph.trace.values[value]
        if own.op < 0 or own.param >= 0:
            return Source(-1, tuple(chain), scale, shift)
        name = name_of(graph, own.op)
        ins = graph.trace.ops[own.op].ins
        step = (1.0, 0.0) if name in PASSIVE else linear_step(graph, own.op)
        if step is None or name in stop or not ins or not (linear or _negligible(step)):
            return Source(own.op, tuple(chain), scale, shift)
        scale, shift = scale * step[0], shift + scale * step[1]
        chain.append(own.op)
        value = _main(graph, ins)
    return Source(-1, tuple(chain), scale, shift)


def _negligible(step: tuple[float, float]) -> bool:
    return step[0] == 1.0 and abs(step[1]) <= _TINY


def _main(graph: Graph, ins: tuple[int, ...]) -> int:
    """Of the inputs of an operation the first that carries a gradient."""
    return next((v for v in ins if graph.trace.values[v].requires_grad), ins[0])


def linear_step(graph: Graph, op: int) -> tuple[float, float] | None:
    """Factor and summand of an operation with one tensor and one number; None for anything else."""
    kind, name = graph.flow.kind(op), name_of(graph, op)
    if name not in _LINEAR or len(graph.trace.ops[op].ins) != 1:
        return None
    if name in ("neg", "negative"):
        return -1.0, 0.0
    number = _number(kind.args.get("1", kind.args.get("other", kind.args.get("0", ""))))
    if number is None or (number == 0 and "div" in name):
        return None
    if "mul" in name:
        return number, 0.0
    if "div" in name:
        return 1 / number, 0.0
    if name == "rsub" or (name == "sub" and "0" in kind.args and "1" not in kind.args):
        return -1.0, number
    return 1.0, -number if name == "sub" else number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def made_and_called(graph: Graph, op: int, role: str) -> tuple[f.Site, ...]:
    """Where the layer that ran an operation was constructed, if a layer did, and where it was called."""
    if op < 0:
        return ()
    module = graph.trace.ops[op].module
    modules = graph.trace.learning.modules
    created = modules[module].created if 0 <= module < len(modules) else -1
    return (*graph.sites(created, role, 0), *graph.sites(graph.flow.kind(op).stack, role, 0))


def logarithm_near(graph: Graph, value: int, near: int = 6) -> bool:
    """Whether a logarithm of probabilities was taken within a few operations before a value."""
    queue, seen = deque([(value, 0)]), {value}
    while queue:
        vid, depth = queue.popleft()
        own = graph.trace.values[vid]
        if own.op < 0 or own.param >= 0 or depth > near:
            continue
        if name_of(graph, own.op) in LOG_LIKE:
            return True
        fresh = [v for v in graph.trace.ops[own.op].ins if v not in seen]
        seen.update(fresh)
        queue.extend((v, depth + 1) for v in fresh)
    return False
