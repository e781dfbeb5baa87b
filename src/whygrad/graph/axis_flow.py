"""Where an axis of a value goes: through linear layers, transposes, views, selections and means, up to the loss.

An axis is a tuple of **atoms**, numbered pieces with a size, outermost first; a merge of axes joins their tuples, an
axis of size 1 is the empty tuple. What an operation does to them is told by its name, its arguments and the shapes; an
operation that is not known gives new atoms, so that nothing is claimed beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from whygrad.graph import axis_rules
from whygrad.graph.regrouping import pieces, segments

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

Axis = tuple[int, ...]
Layout = tuple[Axis, ...]

_PASSES = 4  #: backward passes whose forward pass is followed: the others run through the same lines


class Axes:
    """The layouts of all values that the first few losses were computed from."""

    def __init__(self, graph: Graph) -> None:
        self.trace = graph.trace
        self.flow = graph.flow
        self.sizes: list[int] = []
        self.parents: list[int] = []
        self.layouts: dict[int, Layout] = {}
        #: Operation -> the atoms of its input that it leaves nothing of (selects one, or reduces, or contracts).
        self.consumed: dict[int, set[int]] = {}
        self._splits: dict[tuple[int, tuple[int, ...]], Axis] = {}
        #: Data that was reshaped before: from which shape.
        self._before = {row.value: row.given for row in self.trace.learning.regrouped}
        self.ops = self._followed()
        for op in self.ops:
            self._run(op)

    def _followed(self) -> list[int]:
        passes = [i for i, b in enumerate(self.trace.backwards) if b.kind == "backward" and not b.raised]
        values = {v for i in passes[:_PASSES] for v in self.flow.loss_histories[i]}
        ops = {self.trace.values[v].op for v in values if self.trace.values[v].param < 0}
        return sorted(ops - {-1})

    # -- atoms ---------------------------------------------------------------------------------------

    def atom(self, size: int, parent: int = -1) -> Axis:
        """A new axis; ``parent``: the atom that it is a part of, or a shorter version of."""
        if size == 1:
            return ()
        self.sizes.append(size)
        self.parents.append(parent)
        return (len(self.sizes) - 1,)

    def fresh(self, shape: Iterable[int]) -> Layout:
        """A layout that comes from nowhere."""
        return tuple(self.atom(size) for size in shape)

    def size(self, axis: Axis) -> int:
        """The number of positions along an axis."""
        return prod(self.sizes[a] for a in axis)

    def lineage(self, atom: int) -> set[int]:
        """An atom and everything that it is a part of."""
        found: set[int] = set()
        while atom >= 0:
            found.add(atom)
            atom = self.parents[atom]
        return found

    def family(self, axes: Iterable[Axis]) -> set[int]:
        """All atoms of some axes, with everything that they are a part of."""
        return {one for axis in axes for atom in axis for one in self.lineage(atom)}

    def derive(self, axis: Axis, size: int) -> Axis:
        """The same axis, shorter or longer (a slice, a convolution's output, padding)."""
        if self.size(axis) == size:
            return axis
        return self.atom(size, axis[0] if len(axis) == 1 else -1)

    def layout(self, vid: int) -> Layout:
        """The layout of a value, made up where nothing is known of it."""
        known = self.layouts.get(vid)
        if known is None:
            shape = self.trace.values[vid].shape
            before = self._before.get(vid)
            known = self.fresh(shape) if before is None else self.regrouped(self.fresh(before), shape)
            self.layouts[vid] = known
        return known

    # -- operations ----------------------------------------------------------------------------------

    def _run(self, op: int) -> None:
        record = self.trace.ops[op]
        results = axis_rules.results(self, op)
        for place, vid in enumerate(record.outs):
            value = self.trace.values[vid]
            layout = results[place] if place < len(results) else None
            fits = layout is not None and tuple(map(self.size, layout)) == value.shape
            self.layouts[vid] = layout if layout is not None and fits else self.fresh(value.shape)

    def consume(self, op: int, axes: Iterable[Axis]) -> None:
        """Note that nothing of these axes is left in the result of an operation."""
        self.consumed.setdefault(op, set()).update(self.family(axes))

    def regrouped(self, layout: Layout, shape: tuple[int, ...]) -> Layout:
        """What a reshape makes of a layout. Borders that fall within an atom split it."""
        atoms = [a for axis in layout for a in axis]
        given = [self.sizes[a] for a in atoms]
        out: list[Axis] = [()] * len(shape)
        for axes, places in segments(given, shape):
            parts = pieces([given[i] for i in axes], [shape[p] for p in places])
            if parts is None:
                for place in places:
                    out[place] = self.atom(shape[place])
                continue
            cut: dict[int, list[int]] = {}
            for piece in (p for row in parts for p in row):
                cut.setdefault(piece.axis, []).append(piece.size)
            waiting = {i: list(self._split(atoms[axes[i]], tuple(sizes))) for i, sizes in cut.items()}
            for place, row in zip(places, parts, strict=True):
                out[place] = tuple(waiting[piece.axis].pop(0) for piece in row)
        return tuple(out)

    def _split(self, atom: int, sizes: tuple[int, ...]) -> Axis:
        if len(sizes) == 1:
            return (atom,)
        key = (atom, sizes)
        if key not in self._splits:
            self._splits[key] = tuple(one for size in sizes for one in self.atom(size, atom))
        return self._splits[key]

    # -- onwards -------------------------------------------------------------------------------------

    def onwards(self, vids: Iterable[int]) -> list[int]:
        """The followed operations that use some values, or what was made of them, in order."""
        live, found = set(vids), []
        for op in self.ops:
            record = self.trace.ops[op]
            if not live.isdisjoint(record.ins):
                found.append(op)
                live.update(record.outs)
        return found

    def sinks(self, vids: Iterable[int]) -> list[tuple[int, Layout]]:
        """The operations where what was made of some values becomes a single number, with the layout that it had."""
        live, found = set(vids), []
        for op in self.ops:
            record = self.trace.ops[op]
            taken = [v for v in record.ins if v in live]
            if not taken:
                continue
            live.update(record.outs)
            if record.outs and all(prod(self.trace.values[o].shape) == 1 for o in record.outs):
                layout = self.layout(taken[0])
                if any(layout):
                    found.append((op, layout))
        return found


_KNOWN: WeakKeyDictionary[Graph, Axes] = WeakKeyDictionary()


def axes_of(graph: Graph) -> Axes:
    """The axes of a trace, worked out once."""
    if graph not in _KNOWN:
        _KNOWN[graph] = Axes(graph)
    return _KNOWN[graph]
