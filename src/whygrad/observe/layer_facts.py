"""What is told of a layer that heeds the mode, and what the source says of it."""

from __future__ import annotations

from whygrad import trace as t
from whygrad.observe.constants import given_by, says
from whygrad.observe.frames import Stacks
from whygrad.observe.layers import Layer
from whygrad.observe.quiet import Quiet
from whygrad.observe.source import assignments
from whygrad.observe.statistics import Statistics
from whygrad.observe.stats import numbers

_USUAL = 0.5  #: momentum up to which nobody asks where it comes from


def record(layer: Layer) -> t.Layer:
    """It, for the trace."""
    off, on, direct = layer.switched
    statistics = None
    if layer.statistics is not None:
        with Quiet():
            statistics = layer.statistics.facts(layer.changed)
    return t.Layer(
        layer.what,
        layer.kind,
        layer.number,
        layer.fqn,
        layer.place,
        layer.created,
        layer.p,
        layer.params,
        layer.own,
        layer.root_kind,
        layer.root_training,
        layer.explicit,
        tuple([t.Span(bool(s[0]), *s[1:]) for s in layer.spans]),
        on,
        off,
        direct,
        layer.without_grad,
        tuple(layer.silent),
        layer.in_eval,
        layer.loose,
        max(numbers(layer.misfits), default=None),
        statistics,
        *layer.undone,
    )


def look(stacks: Stacks, layer: Layer) -> None:
    """What the source says of its mode and momentum."""
    if layer.number < 0 and layer.what == "dropout" and layer.place >= 0:
        code, line = stacks.place_of(stacks.stacks[layer.place][0])
        source = stacks.trees[code.co_filename]
        layer.explicit = says(source, line, layer.kind.removesuffix("()"), "training", 2)
    if layer.statistics is not None:
        layer.changed = _changed(stacks, layer, layer.statistics)


def _changed(stacks: Stacks, layer: Layer, statistics: Statistics) -> int:
    """Where an unusual momentum was set after the construction, or where the construction has it from."""
    if statistics.momentum is None or statistics.momentum <= _USUAL:
        return -1
    if statistics.made_with is not None and statistics.made_with != statistics.momentum:
        for file in stacks.user_files():
            for line in assignments(stacks.trees[file], "momentum"):
                return stacks.intern((stacks.place(file, line, ""),))
    return constant(stacks, layer.created, "momentum")


def constant(stacks: Stacks, stack: int, keyword: str) -> int:
    """The stack of the line that a call's argument comes from; -1 where that is the call itself."""
    if stack < 0:
        return -1
    code, line = stacks.place_of(stacks.stacks[stack][0])
    origin = given_by(stacks.trees[code.co_filename], line, keyword)
    return stacks.intern((stacks.place(code.co_filename, origin, ""),)) if origin else -1
