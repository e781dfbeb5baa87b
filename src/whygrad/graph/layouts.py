"""Which axis a recurrent layer or an attention runs along, and whether that is the axis of the samples.

What a sample is, is read off three things: what is left of an output when the loss is taken (an axis of which one
position is chosen, or the mean, before the loss is no axis of samples); a table of positions that is added along one
axis and shared along the other; and the axis along which a shuffling loader has stacked its samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.finding import Site
from whygrad.graph.axis_flow import Axes, axes_of
from whygrad.graph.axis_rules import ATTENTION, DOT_ATTENTION, RECURRENT
from whygrad.graph.chain import distinct

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_ADDS = {"add", "__add__", "__radd__", "__iadd__", "add_", "iadd"}
_CHOOSES = {"__getitem__", "select", "unbind"}
_TURNS = {"transpose", "swapaxes", "swapdims", "permute", "movedim", "moveaxis"}


class Mixup(NamedTuple):
    """An operation that runs along the axis of the samples. ``steps``, ``batch``: the sizes of the axis that it runs
    along, and of the one that it takes for the samples; ``how``: what shows it (``left``: of the latter nothing is left
    at the loss; ``table``: positions are added along it; ``loader``: a loader stacks along the former). ``places``:
    the operations where that happened. ``first``: whether the layer takes the samples first."""

    op: int
    how: str
    steps: int
    batch: int
    shape: tuple[int, ...]
    first: bool
    places: tuple[int, ...]


def mixups(graph: Graph, names: set[str]) -> Iterator[Mixup]:
    """The operations of some names that run along the samples, the first one of each module (or line)."""
    axes = axes_of(graph)
    seen: set[tuple[int, int]] = set()
    for op in axes.ops:
        record, kind = graph.trace.ops[op], graph.flow.kind(op)
        if kind.name not in names or (record.module, kind.stack) in seen:
            continue
        found = _mixup(graph, axes, op, kind, record)
        if found is not None:
            seen.add((record.module, kind.stack))
            yield found


def _mixup(graph: Graph, axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Mixup | None:
    given = axes.layout(record.ins[0])
    first = batch_first(graph, kind, record)
    if kind.name == DOT_ATTENTION:
        return _over_heads(graph, axes, op)
    if len(given) != 3 or (kind.name == ATTENTION and axes.layout(record.ins[1])[:2] != given[:2]):
        return None
    along, across = (1, 0) if kind.name in RECURRENT and kind.args.get("8") == "True" else (0, 1)
    steps, batch = given[along], given[across]
    if not steps or not batch:
        return None
    turned = kind.name == ATTENTION and _turned(graph, axes, op)
    shape = graph.trace.values[record.ins[0]].shape
    if kind.name == ATTENTION and first:
        shape = (shape[1], shape[0], shape[2])  # the module has turned it round itself
    sizes = (axes.size(steps), axes.size(batch), shape, first)
    places = _left(axes, record, axes.family([steps]), axes.family([batch]))
    if places and not (turned and _turned_back(graph, axes, op, first)):
        return Mixup(op, "left", *sizes, tuple(places))
    if turned:
        return None
    for how, at, sample, position in _told(graph, axes):
        if set(steps) == {sample} and (position < 0 or set(batch) == {position}):
            return Mixup(op, how, *sizes, at)
    return None


def batch_first(graph: Graph, kind: t.OpKind, record: t.Op) -> bool:
    """Whether the layer was told that samples come first."""
    modules = graph.trace.learning.modules
    if kind.name in RECURRENT:
        return kind.args.get("8") == "True"
    return record.module >= 0 and modules[record.module].options.get("batch_first") == "True"


def _left(axes: Axes, record: t.Op, steps: set[int], batch: set[int]) -> list[int]:
    """The operations that leave nothing of ``batch``, if what arrives at every loss has ``steps`` and no ``batch``."""
    outs = record.outs[:1]
    arrived = [axes.family(layout) for _, layout in axes.sinks(outs)]
    if not arrived or not any(one & steps for one in arrived) or any(one & batch for one in arrived):
        return []
    ends = [op for op in axes.onwards(outs) if axes.consumed.get(op, set()) & batch]
    return [] if _in_turn(axes, ends, batch) else ends[:1]


def _in_turn(axes: Axes, ends: list[int], batch: set[int]) -> bool:
    """Whether every position of an axis is chosen, one after the other: a loop over the samples, each with a loss of its
    own, leaves nothing of their axis either, and yet nothing is lost."""
    chosen: dict[int, list[int]] = {}
    for op in ends:
        name, record = axes.flow.kind(op).name, axes.trace.ops[op]
        if name in _CHOOSES:
            chosen.setdefault(record.ins[0], []).extend(record.outs)
    size = min((axes.sizes[atom] for atom in batch), default=0)
    for outs in chosen.values():
        used = [vid for vid in outs if axes.onwards([vid])]
        if len(used) >= max(size, 2):
            return True
    return False


def _turned(graph: Graph, axes: Axes, op: int) -> bool:
    """Whether the user's own code has exchanged axes of what an attention is given: then its layout was thought of."""
    before = graph.flow.upstream(graph.trace.ops[op].ins[:1])
    made = {graph.trace.values[v].op for v in before} - {-1}
    return any(_own_turn(graph, one) for one in made)


def _turned_back(graph: Graph, axes: Axes, op: int, first: bool) -> bool:
    return any(_own_turn(graph, one) for one in axes.onwards(graph.trace.ops[op].outs[:1]))


def _own_turn(graph: Graph, op: int) -> bool:
    return graph.flow.kind(op).name in _TURNS and graph.trace.ops[op].module < 0


def _told(graph: Graph, axes: Axes) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
    """What is known of axes: (how, operations that show it, the atom of the samples, the atom of the positions)."""
    for op in axes.ops:
        record = graph.trace.ops[op]
        if graph.flow.kind(op).name in _ADDS and len(record.ins) > 1:
            yield from _table(graph, axes, op, record)
    stacked = {row.value: row.axis for row in graph.trace.learning.stacked}
    for vid, layout in list(axes.layouts.items()):
        if vid in stacked and stacked[vid] < len(layout) and len(layout[stacked[vid]]) == 1:
            yield "loader", (), layout[stacked[vid]][0], -1


def _table(
    graph: Graph, axes: Axes, op: int, record: t.Op
) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
    """``x + positions``: a learned or computed table that is broadcast along one axis."""
    big, small = sorted(record.ins[:2], key=lambda v: -prod(graph.trace.values[v].shape))
    layout, shape = axes.layout(big), graph.trace.values[small].shape
    if len(layout) != 3 or big not in graph.flow.from_data or not _positions(graph, small):
        return
    padded = (1,) * (3 - len(shape)) + shape
    for position, sample in ((0, 1), (1, 0)):
        fits = padded[position] == axes.size(layout[position]) and padded[sample] == 1
        if fits and padded[position] > 1 and len(layout[position]) == len(layout[sample]) == 1:
            yield "table", (op,), layout[sample][0], layout[position][0]


def _positions(graph: Graph, vid: int) -> bool:
    """Whether a value is a table of positions: a parameter or a buffer (or a part of one), or a look-up of ``arange``."""
    sources = [graph.trace.values[v] for v in graph.flow.upstream([vid])]
    roots = [v for v in sources if v.op < 0 or v.param >= 0]
    return all(v.param >= 0 or v.origin == t.CONSTANT for v in roots)


def _over_heads(graph: Graph, axes: Axes, op: int) -> Mixup | None:
    """``[batch, positions, heads, features]`` given to an attention that runs along the last axis but one: both that
    and the last one are parts of one axis of features, side by side, while the positions are taken for a batch."""
    vid = graph.trace.ops[op].ins[0]
    layout, shape = axes.layout(vid), graph.trace.values[vid].shape
    if len(layout) != 4 or any(len(axis) != 1 for axis in layout[1:]):
        return None
    (positions,), (heads,), (features,) = layout[1:]
    whole = axes.parents[heads]
    beside = whole >= 0 and axes.parents[features] == whole and features == heads + 1
    if not beside or axes.parents[positions] == whole:
        return None
    return Mixup(op, "heads", axes.sizes[heads], axes.sizes[positions], shape, True, ())


# -- words -------------------------------------------------------------------------------------------


def shown(graph: Graph, mixup: Mixup) -> str:
    """The layer as the user knows it."""
    modules, record = graph.trace.learning.modules, graph.trace.ops[mixup.op]
    if record.module < 0:
        return graph.label(mixup.op)
    own = modules[record.module]
    return f"{own.kind} {own.fqn}" if own.fqn else own.kind


def places(graph: Graph, mixup: Mixup) -> tuple[Site, ...]:
    """Where the layer was made, where it was called, and what shows the mix-up."""
    record = graph.trace.ops[mixup.op]
    made = graph.trace.learning.modules[record.module].created if record.module >= 0 else -1
    found = [*graph.sites(made, "created", 0), *graph.op_sites(mixup.op, "called", 0)]
    found += [site for op in mixup.places for site in graph.op_sites(op, "axis", 0)]
    return distinct(found)[:3]


def why(mixup: Mixup) -> str:
    """What shows which axis is which, in words."""
    if mixup.how == "left":
        return (
            f"nothing is left of the axis of size {mixup.batch}, which it takes for the samples, when the loss is taken; "
            f"the axis of size {mixup.steps}, along which it runs, is still there"
        )
    if mixup.how == "table":
        return f"a table of {mixup.batch} positions is added along the axis that it takes for the samples"
    if mixup.how == "heads":
        return "the axis that it attends along was split off the features, beside the last one"
    return f"the axis of size {mixup.steps}, along which it runs, is the one along which samples are put together"
