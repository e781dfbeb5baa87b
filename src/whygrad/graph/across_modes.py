"""The same layer on several ranks, and the calls of ``train()`` and ``eval()`` that only some of them made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across
from whygrad.graph.chain import distinct


class Mixed(NamedTuple):
    """A layer that trained in one mode on some ranks (positions) while others had it in the other, for ``steps`` steps."""

    layers: tuple[t.Layer, ...]
    training: tuple[int, ...]
    evaluating: tuple[int, ...]
    steps: int


def mixed(across: Across) -> Iterator[Mixed]:
    """All such layers."""
    tables = [_table(trace.learning.modes.layers) for trace in across.traces]
    for key in tables[0] if tables else ():
        if not all(key in table for table in tables):
            continue
        layers = tuple(table[key] for table in tables)
        if any(not one.p for one in layers if one.what == "dropout"):
            continue
        steps = [_steps(one) for one in layers]
        numbers = set(steps[0]).intersection(*steps[1:])
        apart = [n for n in numbers if len({own[n] for own in steps}) > 1]
        if apart:
            last = max(apart)
            on = tuple(i for i, own in enumerate(steps) if own[last])
            off = tuple(i for i in range(len(steps)) if i not in on)
            yield Mixed(layers, on, off, len(apart))


def _table(layers: tuple[t.Layer, ...]) -> dict[tuple[str, str, str, int], t.Layer]:
    found: dict[tuple[str, str, str, int], t.Layer] = {}
    times: dict[tuple[str, str, str], int] = {}
    for layer in layers:
        if not layer.spans:
            continue  # it had no part in any step
        name = layer.what, layer.kind, layer.fqn
        times[name] = times.get(name, 0) + 1
        found[layer.what, layer.kind, layer.fqn, times[name]] = layer
    return found


def _steps(layer: t.Layer) -> dict[int, bool]:
    """Number of a step -> the mode in which the layer went through it."""
    return {n: span.training for span in layer.spans for n in range(span.first, span.last + 1)}


def blamed(across: Across, found: Mixed) -> tuple[f.Site, ...]:
    """The calls that set the layer's mode on the ranks of one kind, those first that ranks of the other kind did not make."""
    own: list[f.Site] = []
    common: list[f.Site] = []
    for rank in (*found.evaluating[:1], *found.training[:1]):
        others = found.training if rank in found.evaluating else found.evaluating
        layer = found.layers[rank]
        number = layer.eval_switch if rank in found.evaluating else layer.train_switch
        switches = across.traces[rank].learning.modes.switches
        if not 0 <= number < len(switches):
            continue
        switch = switches[number]
        made = any(_made(across, other, across.place(rank, switch.stack), switch.mode) for other in others)
        word = "train() on" if switch.mode else "eval() on"
        sites = across.sites(rank, [switch.stack], f"{word} rank {across.facts[rank].rank}", 2)
        (common if made else own).extend(sites)
    return distinct([*own, *common])[:3]


def _made(across: Across, rank: int, place: tuple[tuple[str, int], ...], mode: bool) -> bool:
    switches = across.traces[rank].learning.modes.switches
    return any(s.mode is mode and across.place(rank, s.stack) == place for s in switches)
