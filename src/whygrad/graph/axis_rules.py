"""What each operation does to the axes of its input. One function for each family of operations, found by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.axis_arguments import number, numbers, permutation
from whygrad.graph.axis_indexing import Results, index, select
from whygrad.graph.axis_indexing import shape_of as _shape

if TYPE_CHECKING:
    from whygrad.graph.axis_flow import Axes, Layout

#: Recurrent layers, by the name of the function behind them; argument 8 of those is ``batch_first``.
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
ATTENTION = "multi_head_attention_forward"
DOT_ATTENTION = "scaled_dot_product_attention"
RESHAPES = {"view", "reshape", "view_as", "reshape_as", "flatten", "unflatten", "_unsafe_view", "ravel"}
_TRANSPOSES = {
    "transpose",
    "swapaxes",
    "swapdims",
    "transpose_",
    "permute",
    "movedim",
    "moveaxis",
    "t",
    "T",
    "mT",
}
_REDUCTIONS = {
    "mean", "sum", "max", "min", "amax", "amin", "logsumexp", "std", "var", "prod", "median", "norm", "nanmean",
    "nansum", "vector_norm", "linalg_norm", "linalg_vector_norm",
}  # fmt: skip
_WINDOWED = ("conv", "max_pool", "avg_pool", "lp_pool", "adaptive", "interpolate", "upsample")
_SHORTER = {
    "narrow",
    "pad",
    "topk",
    "repeat",
    "repeat_interleave",
    "index_select",
    "unfold",
    "gather",
    "take_along_dim",
}
_PRODUCTS = {"matmul", "bmm", "__matmul__", "baddbmm", "mm"}


def results(axes: Axes, op: int) -> Results:
    """The layouts of what an operation gives; None for those of which nothing is known."""
    record, kind = axes.trace.ops[op], axes.flow.kind(op)
    if not record.ins or not record.outs:
        return ()
    try:
        found = _rule(kind.name)(axes, op, kind, record)
    except (IndexError, ValueError, ZeroDivisionError):
        return ()  # nested and lazy tensors have no shape, and a call may have arguments that nobody thought of
    return found if found is not None else ()


def _rule(name: str) -> Callable[[Axes, int, t.OpKind, t.Op], Results | None]:
    plain = name.removeprefix("torch.")
    for names, rule in _RULES:
        if plain in names:
            return rule
    return _windowed if plain.startswith(_WINDOWED) else _alike


def _reshape(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results:
    return [axes.regrouped(axes.layout(record.ins[0]), _shape(axes, record.outs[0]))]


def _transpose(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    given = axes.layout(record.ins[0])
    order = permutation(kind, len(given))
    return None if order is None else [tuple(given[i] for i in order)]


def _squeeze(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    """Axes of size 1 come and go; what is left keeps its order."""
    return [axes.regrouped(axes.layout(record.ins[0]), _shape(axes, record.outs[0]))]


def _reduce(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    given, out = axes.layout(record.ins[0]), _shape(axes, record.outs[0])
    if len(record.ins) > 1:
        return _alike(axes, op, kind, record)
    rank = len(given)
    keys = ("2", "dim", "axis") if kind.name == "norm" else ("1", "dim", "axis")
    dims = {d % rank for d in numbers(kind, *keys) if -rank <= d < rank} if rank else set()
    if not dims:
        return None
    axes.consume(op, [given[d] for d in dims])
    kept: Layout = tuple(() if i in dims else axis for i, axis in enumerate(given))
    if len(out) < rank:
        kept = tuple(axis for i, axis in enumerate(given) if i not in dims)
    return [kept] * len(record.outs)


def _linear(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results:
    given = axes.layout(record.ins[0])
    axes.consume(op, given[-1:])
    return [(*given[:-1], axes.atom(_shape(axes, record.outs[0])[-1]))]


def _embedding(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results:
    return [(*axes.layout(record.ins[0]), axes.atom(_shape(axes, record.outs[0])[-1]))]


def _product(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    left, right = (axes.layout(v) for v in record.ins[-2:])
    if len(left) < 2 or len(right) < 2:
        return None
    axes.consume(op, [left[-1], right[-2]])
    longer = left if len(left) >= len(right) else right
    return [(*longer[:-2], left[-2], right[-1])]


def _einsum(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    text = kind.args.get("0", "").replace(" ", "")
    taken, arrow, made = text.partition("->")
    terms = taken.split(",")
    if not arrow or "." in text or len(terms) != len(record.ins):
        return None
    found: dict[str, tuple[int, ...]] = {}
    for term, vid in zip(terms, record.ins, strict=True):
        for letter, axis in zip(term, axes.layout(vid), strict=False):
            found[letter] = found.get(letter) or axis
    axes.consume(op, [axis for letter, axis in found.items() if letter not in made])
    return [tuple(found.get(letter, ()) for letter in made)]


def _join(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    given, out = axes.layout(record.ins[0]), _shape(axes, record.outs[0])
    dim = number(kind, "1", "dim", "axis") or 0
    dim %= len(out)
    if kind.name == "stack":
        return [(*given[:dim], axes.atom(out[dim]), *given[dim:])]
    return [(*given[:dim], axes.atom(out[dim]), *given[dim + 1 :])]


def _parts(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    given = axes.layout(record.ins[0])
    found = []
    for vid in record.outs:
        shape = _shape(axes, vid)
        if len(shape) != len(given):
            return None
        found.append(tuple(axes.derive(a, s) for a, s in zip(given, shape, strict=True)))
    return found


def _recurrent(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    given = axes.layout(record.ins[0])
    if len(given) != 3:
        return None
    batch = given[0 if kind.args.get("8") == "True" else 1]
    axes.consume(op, given[-1:])
    shapes = [_shape(axes, v) for v in record.outs]
    states = [(axes.atom(shape[0]), batch, axes.atom(shape[-1])) for shape in shapes[1:]]
    return [(given[0], given[1], axes.atom(shapes[0][-1])), *states]


def _attention(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results:
    given = axes.layout(record.ins[0])
    return [(*given[:-1], axes.atom(_shape(axes, record.outs[0])[-1]))]


def _windowed(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    """Convolutions and pooling: the first axis stays, channels are mixed, the others get shorter."""
    given, out = axes.layout(record.ins[0]), _shape(axes, record.outs[0])
    if len(given) != len(out) or len(given) < 2:
        return None
    mixed = "conv" in kind.name
    axes.consume(op, [given[1]] if mixed else [])
    axes.consume(op, [axis for axis, size in zip(given[2:], out[2:], strict=True) if size == 1])
    channels = axes.atom(out[1]) if mixed else axes.derive(given[1], out[1])
    rest = [axes.derive(axis, size) for axis, size in zip(given[2:], out[2:], strict=True)]
    return [(given[0], channels, *rest)]


def _alike(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    """Element by element, with broadcasting: each axis is that of the first operand that has it in full."""
    found: list[Layout | None] = []
    for vid in record.outs:
        shape = _shape(axes, vid)
        layout: list[tuple[int, ...]] = []
        for place, size in enumerate(shape):
            layout.append(next(_axis_at(axes, record.ins, len(shape) - place, size), ()))
        fits = prod(shape) == prod(axes.size(a) for a in layout)
        found.append(tuple(layout) if fits else _shorter(axes, kind, record, shape))
    return found


def _axis_at(axes: Axes, ins: Iterable[int], back: int, size: int) -> Iterator[tuple[int, ...]]:
    ranked = sorted(ins, key=lambda v: axes.trace.values[v].param >= 0)
    for vid in ranked:
        shape = _shape(axes, vid)
        if len(shape) >= back and shape[-back] == size != 1:
            yield axes.layout(vid)[-back]


def _shorter(axes: Axes, kind: t.OpKind, record: t.Op, shape: tuple[int, ...]) -> Layout | None:
    given = axes.layout(record.ins[0])
    if kind.name not in _SHORTER or len(given) != len(shape):
        return None
    return tuple(axes.derive(axis, size) for axis, size in zip(given, shape, strict=True))


_RULES: tuple[tuple[set[str], Callable[[Axes, int, t.OpKind, t.Op], Results | None]], ...] = (
    (RESHAPES, _reshape),
    (_TRANSPOSES, _transpose),
    ({"squeeze", "unsqueeze", "squeeze_", "unsqueeze_"}, _squeeze),
    ({"__getitem__"}, index),
    ({"select", "unbind"}, select),
    (_REDUCTIONS, _reduce),
    ({"linear"}, _linear),
    ({"embedding"}, _embedding),
    (_PRODUCTS, _product),
    ({"einsum"}, _einsum),
    ({"cat", "concat", "concatenate", "stack"}, _join),
    ({"chunk", "split", "tensor_split", "split_with_sizes"}, _parts),
    (RECURRENT, _recurrent),
    ({ATTENTION, DOT_ATTENTION}, _attention),
)
