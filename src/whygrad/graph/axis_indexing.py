"""What looking up by number does to axes: ``x[:, -1]``, ``x[rows, lengths]``, ``x.select(1, 0)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.axis_arguments import number

if TYPE_CHECKING:
    from whygrad.graph.axis_flow import Axes, Layout

Results = Sequence["Layout | None"]
_INDEX = re.compile(r"slice\([^)]*\)|None|Ellipsis|-?\d+|True|False")


def index(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    """``x[...]``, by its arguments where they give the shape that came out, by the shapes otherwise."""
    given, out = axes.layout(record.ins[0]), shape_of(axes, record.outs[0])
    if len(record.ins) > 1:
        return _picked(axes, op, record)
    text = kind.args.get("1", "")
    shown = _INDEX.findall(text.removesuffix("...") if text.endswith("...") else text)
    for items in (shown, *_guesses(shape_of(axes, record.ins[0]), out)):
        layout, dropped = _indexed(axes, given, items, out)
        if layout is not None:
            axes.consume(op, dropped)
            return [layout]
    return None


def _guesses(given: tuple[int, ...], out: tuple[int, ...]) -> list[list[str]]:
    """Without the arguments (several look-ups on one line): one axis is gone, if it can be only one."""
    gone = [i for i in range(len(given)) if given[:i] + given[i + 1 :] == out]
    return [["slice(None)"] * gone[0] + ["0"]] if len(gone) == 1 else []


def _indexed(
    axes: Axes, given: Layout, items: list[str], out: tuple[int, ...]
) -> tuple[Layout | None, list[tuple[int, ...]]]:
    """The layout after ``x[items]``, if that has the shape ``out``, and the axes of which one position was chosen."""
    taken = sum(item not in ("None", "Ellipsis") for item in items)
    layout: list[tuple[int, ...]] = []
    dropped: list[tuple[int, ...]] = []
    rest = list(given)
    for item in items:
        if item == "None":
            layout.append(())
        elif item == "Ellipsis":
            while len(rest) > taken:
                layout.append(rest.pop(0))
        elif not rest or item in ("True", "False"):
            return None, []
        elif item.startswith("slice"):
            taken -= 1
            layout.append(rest.pop(0))
        else:
            taken -= 1
            dropped.append(rest.pop(0))
    layout += rest
    if len(layout) != len(out):
        return None, []
    sliced = [axis for axis, size in zip(layout, out, strict=True) if size == 1 and axis]
    layout = [axes.derive(axis, size) for axis, size in zip(layout, out, strict=True)]
    return tuple(layout), dropped + sliced


def _picked(axes: Axes, op: int, record: t.Op) -> Results | None:
    """``x[arange, lengths]``: one position for each row."""
    given, index = axes.layout(record.ins[0]), [axes.trace.values[v] for v in record.ins[1:]]
    out = shape_of(axes, record.outs[0])
    if len(index) == 1 and index[0].dtype != "bool" and len(index[0].shape) == 1:
        layout = [axes.derive(given[0], out[0]), *given[1:]]
        return [tuple(layout)]
    counted = [i for i, value in enumerate(index) if value.origin == t.CONSTANT]
    if len(index) != 2 or len(counted) != 1 or len(out) != len(given) - 1:
        return None
    axes.consume(op, [given[1 - counted[0]]])
    return [(given[counted[0]], *given[2:])]


def select(axes: Axes, op: int, kind: t.OpKind, record: t.Op) -> Results | None:
    """One position along an axis; or, for ``unbind``, each of them."""
    given, dim = axes.layout(record.ins[0]), number(kind, "1", "dim")
    dim = 0 if dim is None else dim % len(given)
    axes.consume(op, [given[dim]])
    return [given[:dim] + given[dim + 1 :]] * len(record.outs)


def shape_of(axes: Axes, vid: int) -> tuple[int, ...]:
    """The shape of a value."""
    return axes.trace.values[vid].shape
