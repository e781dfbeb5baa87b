"""The way from a parameter to the loss as the HTML report draws it: a line of stations, with where it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whygrad.finding import Finding, Step
from whygrad.render._text import count, number, shorten

_STATIONS = 12  #: of a longer path the middle is folded
_FOLDED = 200


@dataclass(frozen=True)
class Stop:
    """One station of a path. ``side``: ``before`` the break as seen from the parameter (no gradient comes there),
    ``break``, ``idle`` (behind it, and not recorded), or ``after`` it. ``sees``: what autograd sees of it. ``title`` is
    the whole place."""

    label: str
    place: str
    title: str
    where: str
    side: str
    sees: str


@dataclass(frozen=True)
class Fold:
    """Stations that are shown when asked for; ``more`` of them are not in the page."""

    stops: tuple[Stop, ...]
    more: int

    @property
    def words(self) -> str:
        """How many they are."""
        return count(len(self.stops) + self.more, "more step")


def path_of(finding: Finding) -> list[Stop | Fold]:
    """The stations, those far from the break folded."""
    stops, broken = _stops(finding)
    if len(stops) <= _STATIONS:
        return list(stops)
    near = {0, 1, 2, len(stops) - 3, len(stops) - 2, len(stops) - 1}
    near |= {index + d for index in broken[-1:] for d in (-2, -1, 0, 1, 2)}
    near |= {i for i in range(len(stops)) if i - 1 in near and i + 1 in near}
    shown: list[Stop | Fold] = []
    gap: list[Stop] = []
    for index, stop in enumerate(stops):
        if index not in near:
            gap.append(stop)
            continue
        if gap:
            shown.append(Fold(tuple(gap[:_FOLDED]), max(0, len(gap) - _FOLDED)))
            gap = []
        shown.append(stop)
    return shown


def _stops(finding: Finding) -> tuple[list[Stop], list[int]]:
    """Every station with its side of the break, and the indices of the breaks."""
    path = finding.path
    broken = [index for index, one in enumerate(path) if one.state in ("cut", "zero")]
    broken = broken or [index for index, one in enumerate(path) if one.state == "lost"][:1]
    sides = _sides(path, broken)
    stops = [
        Stop(
            label=shorten(one.label, 80),
            place=_tail(f"{one.file}:{one.line}") if one.file else "",
            title=f"{shorten(one.file, 300)}:{one.line}",
            where=" · ".join(shorten(text, 80) for text in (one.module, one.function) if text),
            side=side,
            sees=_sees(one, side, finding.link),
        )
        for one, side in zip(path, sides, strict=True)
    ]
    return stops, broken


def _sides(path: Sequence[Step], broken: Sequence[int]) -> list[str]:
    """On which side of the break each station lies. Behind it come some that autograd did not record, up to the first
    that works on a parameter again."""
    last = broken[-1] if broken else -1
    again = next((i for i, one in enumerate(path) if i > last and one.grad_fn), len(path))
    return [
        "break" if i in broken else "before" if i < last else "idle" if broken and i < again else "after"
        for i in range(len(path))
    ]


def _tail(place: str, limit: int = 40) -> str:
    """A place, of a long path of folders only the end."""
    if len(place) <= limit:
        return place
    end = place[1 - limit :]
    cut = min((at for at in (end.find("/"), end.find("\\")) if at >= 0), default=0)
    return f"…{end[cut:]}"


def _sees(one: Step, side: str, link: int) -> str:
    """What autograd sees of a station."""
    arrives = "" if one.gradient is None else f", gradient up to {number(one.gradient)}"
    if side == "break" and (one.state == "zero" or link == 6):
        came = "" if one.gradient is None else f"{number(one.gradient)} arrives"
        known = ": ".join(filter(None, (one.grad_fn, came)))
        return f"{known or 'A gradient arrives'}, nothing usable goes on"
    if side == "break":
        return "the graph ends here"
    if side == "before":
        return "backward() comes here with nothing usable" if one.grad_fn else "backward() never comes here"
    if side == "idle":
        return "not recorded by autograd"
    return f"{one.grad_fn}{arrives}" if one.grad_fn else ""
