"""``whygrad report --follow``: a monitored run while it goes on, in the terminal. Nothing here imports torch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from whygrad.monitor.rows import by_module
from whygrad.monitor.state import State, in_words, rate_of
from whygrad.render._text import clean, number, shorten
from whygrad.running.streams import Look, is_terminal, write

_EVERY = 1.0  #: seconds between two looks
_LINE = 10.0  #: seconds between two lines where nobody looks
_SILENT = 60.0  #: seconds without news after which a run may be dead
_BARS = "▁▂▃▄▅▆▇█"
_ALARMS, _MODULES = 5, 8


def follow(path: Path, stream: TextIO | None, sleep: Callable[[float], None] = time.sleep) -> State:
    """Show a store until its run is over, or until Ctrl-C. Raises TraceError where it cannot be read."""
    state = State(path)
    look = Look.of(stream)
    if stream is None or not is_terminal(stream):
        return _lines(path, state, stream, sleep)
    console = Console(file=stream, width=look.width, no_color=not look.colour)
    try:
        with Live(draw(state, look), console=console, auto_refresh=False) as live:
            while not state.over:
                sleep(_EVERY)
                state = State(path)
                live.update(draw(state, look), refresh=True)
    except KeyboardInterrupt:
        pass
    return state


def _lines(path: Path, state: State, stream: TextIO | None, sleep: Callable[[float], None]) -> State:
    """For a pipe: a line now and then, and every alarm."""
    said = 0
    try:
        while True:
            for alarm in state.alarms[said:]:
                write(f"alarm: {alarm.sentence()}\n", stream)
            said = len(state.alarms)
            write(f"{state.line()}\n", stream)
            if state.over:
                return state
            sleep(_LINE)
            state = State(path)
    except KeyboardInterrupt:
        return state


def draw(state: State, look: Look, now: float | None = None) -> Group:
    """The whole view."""
    meta = state.meta
    parts: list[RenderableType] = []
    parts.append(
        Text(
            f"{shorten(clean(meta.script), look.width - 12)}: {_how(state, now or time.time())}", style="bold"
        )
    )
    if meta.steps:
        bar = Progress(
            TextColumn("step"),
            BarColumn(),
            MofNCompleteColumn(),
            disable=False,
            auto_refresh=False,
        )
        bar.add_task("steps", total=meta.steps, completed=min(meta.step, meta.steps))
        parts.append(bar.get_renderable())
    parts.append(_curves(state, look))
    modules = _modules(state)
    if modules.row_count:
        parts.append(modules)
    for alarm in state.alarms[-_ALARMS:]:
        style = "bold red" if alarm.severity == "error" else "bold yellow"
        parts.append(Text(f"{alarm.severity}: {clean(alarm.sentence())}", style=style if look.colour else ""))
    if not state.alarms:
        parts.append(Text("no alarm so far", style="green" if look.colour else ""))
    return Group(*parts)


def _how(state: State, now: float) -> str:
    meta = state.meta
    if state.gone:
        return f"killed, or ended without a word, after {meta.step} steps"
    if state.over:
        return f"{'over' if meta.ended == 'end' else meta.ended} after {meta.step} steps. {clean(meta.error)}".strip()
    silent = now - meta.updated
    rate = rate_of(state.points)
    speed = f", {rate:.3g} steps a second" if rate else ""
    late = f", nothing new for {silent:.0f} s" if silent > _SILENT and meta.updated else ""
    left = f", {in_words((meta.steps - meta.step) / rate)} left" if meta.steps and rate else ""
    skipped = state.points[-1].skipped if state.points else 0
    out = f", {skipped} steps skipped" if skipped else ""
    return f"step {meta.step}{speed}{left}{out}{late}"


def _curves(state: State, look: Look) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    width = max(10, min(50, look.width - 40))
    for label, values in (
        ("loss", [p.loss for p in state.points]),
        ("gradient norm", [p.total for p in state.points]),
        ("lr", [p.lr for p in state.points]),
    ):
        known = [v for v in values if v is not None]
        if known:
            table.add_row(label, number(known[-1]), curve(known, width, look.unicode))
    return table


def curve(values: Sequence[float], width: int, unicode: bool) -> str:
    """Some numbers as bars, the last ones at the right; those that are not finite as ``!``."""
    shown = [values[round(i * (len(values) - 1) / max(1, width - 1))] for i in range(min(width, len(values)))]
    finite = [v for v in shown if math.isfinite(v)]
    if not unicode or not finite:
        return ""
    low, high = min(finite), max(finite)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((v - low) * scale)] if math.isfinite(v) else "!" for v in shown)


def _modules(state: State) -> Table:
    """The outermost modules with the norms of their gradients."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("module")
    table.add_column("gradient norm", justify="right")
    norms: dict[str, float] = {}
    for track, row in state.last:
        norms |= {module: norm for module, norm in by_module(row, track).items() if "." not in module}
    for module, norm in list(norms.items())[:_MODULES]:
        table.add_row(shorten(clean(module), 40), number(norm))
    return table
