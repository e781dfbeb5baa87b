"""The numbers of the HTML report: what became of the parameters, and what was looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass

from whygrad.finding import Report
from whygrad.render._html_data import kind
from whygrad.render._text import clean, fold, number, percent, shorten
from whygrad.render._words import WHAT_TO_DO, by_verdict, watched


@dataclass(frozen=True)
class Share:
    """Parameters of one verdict: how many, how many weights, and their part of the bar (``x`` and ``width`` of 100)."""

    word: str
    kind: str
    parameters: int
    weights: int
    x: float = 0.0
    width: float = 0.0
    names: tuple[str, ...] = ()


def shares(report: Report) -> list[Share]:
    """The parameters by verdict, with the parts of the bar that shows them."""
    total = len(report.parameters)
    told = {name for finding in report.loud() for name in finding.parameters}
    shown: list[Share] = []
    x = 0.0
    for word, rows in by_verdict(report.parameters).items():
        width = 100 * len(rows) / total
        names = [row.fqn for row in rows if row.fqn not in told] if word != "trains" else []
        weights = sum(math.prod(row.shape) for row in rows)
        shown.append(
            Share(
                "train" if word == "trains" and len(rows) > 1 else clean(word),
                kind(rows[0]),
                len(rows),
                weights,
                round(x, 3),
                round(width, 3),
                tuple(fold(names)),
            )
        )
        x += width
    return shown


def facts(report: Report) -> list[tuple[str, str]]:
    """The run in a few facts: what stands at its end."""
    environment = report.environment
    versions = [
        f"{name} {environment[name]}" for name in ("whygrad", "torch", "python") if environment.get(name)
    ]
    ranks = environment.get("world_size", 1)
    found = [
        ("Script", shorten(report.script, 300)),
        ("Watched", watched(report)),
        ("Time", f"{number(report.seconds)} s"),
        ("Versions", ", ".join(versions)),
        ("Processes", number(ranks) if isinstance(ranks, int) and ranks > 1 else ""),
        ("Cost", _cost(report)),
        ("Ended", _ENDED.get(report.ended, report.ended)),
    ]
    return [(name, text) for name, text in found if text]


def to_do(report: Report) -> str:
    """What to do where nothing could be judged."""
    return WHAT_TO_DO.get(report.ended, WHAT_TO_DO["end"]) if report.verdict == "incomplete" else ""


_ENDED = {
    "steps": "the window of observed steps was full",
    "end": "the script was over",
    "exit": "the script ended itself",
    "raised": "the script raised an exception",
    "interrupted": "it was interrupted",
}


def _cost(report: Report) -> str:
    if report.cost is None or not (report.cost.parameters > 0 or report.cost.time > 0):
        return ""
    weights, time = percent(report.cost.parameters), percent(report.cost.time)
    return f"{weights} of the weights never train; their layers took {time} of the layers' time"
