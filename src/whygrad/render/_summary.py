"""The last part of the terminal report: what trains and what does not, the cost, what was and was not seen."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

from rich.cells import cell_len

from whygrad.finding import Overfit, ParameterVerdict, Report
from whygrad.render._page import Page, shorten_cells
from whygrad.render._text import clean, count, fold, number, ordinal, percent, short_name, shorten
from whygrad.render._words import WHAT_TO_DO, by_verdict, verdict_word, watched
from whygrad.rule_pages import in_source

_UNSEEN = 12


def numbers(page: Page, report: Report) -> None:
    """The numbers behind the verdict."""
    page.blank()
    page.rule("what was seen", "bold")
    if report.verdict == "incomplete":
        page.entry("To do", [WHAT_TO_DO.get(report.ended, WHAT_TO_DO["end"])])
    for word, rows in by_verdict(report.parameters).items():
        _group(page, report, word, rows)
    _evidence_of_training(page, report)
    if report.overfit is not None:
        page.entry("Overfit", [shorten(clean(report.overfit.text), 1000)], *_least_moved(report.overfit))
    elif report.losses:
        page.entry("Loss", [_loss(report.losses, not report.backwards)])
    if report.cost and (report.cost.parameters > 0 or report.cost.time > 0):
        weights, time = percent(report.cost.parameters), percent(report.cost.time)
        page.entry(
            "Cost", [f"{weights} of the weights never train; their layers took {time} of the layers' time"]
        )
    hidden = [finding for finding in report.findings if finding.suppressed]
    if hidden:
        page.entry("Quiet", [f"{count(len(hidden), 'finding')} suppressed by a comment in the source"])
    in_lint = list(dict.fromkeys(f.rule for f in report.loud() if in_source(f.rule)))
    if in_lint:
        page.entry("Lint", [f"whygrad lint looks in the source for {', '.join(in_lint)}, too"])
    page.entry("Watched", [watched(report)])
    page.entry("Run", [_run(report)])
    # the first sentence of an incomplete report is its headline
    unseen = report.incomplete[1 if report.verdict == "incomplete" else 0 :]
    if unseen:
        sentences = [[f"· {shorten(clean(text), 400)}"] for text in unseen[:_UNSEEN]]
        if len(unseen) > _UNSEEN:
            sentences.append([f"· and {number(len(unseen) - _UNSEEN)} more"])
        page.entry("Unseen", *sentences)


def _group(page: Page, report: Report, word: str, rows: list[ParameterVerdict]) -> None:
    """How many parameters have this verdict; by name those that no finding has told of."""
    label = {"trains": "Trains", "frozen": "Frozen", "not judged": "Other"}.get(word, "Stuck")
    weights = sum(math.prod(row.shape) for row in rows)
    text = f"{count(len(rows), 'parameter')}, {count(weights, 'weight')}"
    if label in ("Stuck", "Other"):
        text += f" ({word})"
    told = {name for finding in report.loud() for name in finding.parameters}
    names = [row.fqn for row in rows if row.fqn not in told] if word != "trains" else []
    page.entry(label, [f"{text}:" if names else text], *([line] for line in fold(names)))


def _evidence_of_training(page: Page, report: Report) -> None:
    """The extremes of what trains, which prove that it does."""
    rows = [row for row in report.parameters if row.verdict == "trains"]
    norms = [(peak, row.fqn) for row in rows if (peak := _peak(row)) is not None]
    changes = [(row.weight_change, row.fqn) for row in rows if row.weight_change is not None]
    if norms:
        page.entry("Grads", ["largest norm of each parameter: ", *_range(norms, number)])
    if changes:
        page.entry("Moved", [*_range(changes, percent), " of its own size"])


def _least_moved(overfit: Overfit) -> list[list[str]]:
    """The modules that moved least, where the batch was not memorised."""
    if overfit.outcome == "memorised" or not overfit.least_moved:
        return []
    moved = [f"{short_name(name)} {percent(share)}" for name, share in overfit.least_moved.items()]
    return [[f"moved least, of their own size: {', '.join(moved)}"]]


def _range(values: list[tuple[float, str]], show: Callable[[float], str]) -> list[str]:
    low, high = min(values), max(values)
    if len(values) == 1:
        return [f"{show(low[0])} ({short_name(low[1])})"]
    return [f"{show(low[0])} ({short_name(low[1])}) to {show(high[0])} ({short_name(high[1])})"]


def _peak(row: ParameterVerdict) -> float | None:
    """The largest gradient norm of a parameter, none if it never had a finite one."""
    return max((norm for norm in row.grad_norm if norm is not None and math.isfinite(norm)), default=None)


def _loss(losses: tuple[float, ...], monitored: bool) -> str:
    """First and last loss, and where it first stopped being a number. ``monitored``: they are some of a long run."""
    if len(losses) == 1:
        return f"{number(losses[0])}, seen once"
    bad = next((index for index, loss in enumerate(losses) if not math.isfinite(loss)), None)
    passes = "the run" if monitored else count(len(losses), "backward pass", "backward passes")
    text = f"{number(losses[0])} → {number(losses[-1])} over {passes}"
    if bad is not None:
        return f"{text}; not finite {'later' if monitored and bad else f'at the {ordinal(bad + 1)}'}"
    lowest = min(losses)
    return f"{text} (lowest {number(lowest)})" if lowest < min(losses[0], losses[-1]) else text


def _run(report: Report) -> str:
    environment = report.environment
    versions = [
        f"{name} {environment[name]}" for name in ("whygrad", "torch", "python") if environment.get(name)
    ]
    ranks = environment.get("world_size", 1)
    extra = [f"{ranks} ranks"] if isinstance(ranks, int) and ranks > 1 else []
    text = ", ".join([f"{number(report.seconds)} s", *extra, *versions])
    return f"{shorten(clean(report.script), 200)}, {shorten(clean(text), 300)}"


def parameter_table(page: Page, report: Report) -> None:
    """One line a parameter: verdict, last gradient norm, how far it moved."""
    wide = page.width >= 72
    head = (
        ["parameter", "shape", "verdict", "gradient", "moved"] if wide else ["parameter", "verdict", "moved"]
    )
    rows = [[short_name(row.fqn), *_cells(row, wide)] for row in report.parameters]
    widths = [max(cell_len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    widths[0] = max(min(widths[0], page.width - sum(widths[1:]) - 2 * (len(widths) - 1)), 8)
    page.blank()
    page.rule("parameters", "bold")
    page.cropped((_row(head, widths), "dim"))
    for row, verdict in zip(rows, report.parameters, strict=True):
        style = {"trains": "", "frozen": "dim"}.get(verdict.verdict, "red")
        page.cropped((_row(row, widths), style))


def _cells(row: ParameterVerdict, wide: bool) -> list[str]:
    last = row.grad_norm[-1] if row.grad_norm else None
    moved = "?" if row.weight_change is None else percent(row.weight_change)
    ratios = [ratio for ratio in row.update_ratio if ratio is not None]
    if (
        row.weight_change is None and ratios
    ):  # of a long run single steps are known, not the way from first to last
        moved = f"{number(100 * statistics.median(ratios))}% a step"
    if not wide:
        return [verdict_word(row), moved]
    shape = "x".join(map(str, row.shape)) or "scalar"
    return [shape, verdict_word(row), number(last), moved]


def _row(cells: list[str], widths: list[int]) -> str:
    """Cells in columns; a long first cell loses its middle."""
    first = shorten_cells(cells[0], widths[0])
    padded = [
        cell + " " * (width - cell_len(cell)) for cell, width in zip([first, *cells[1:]], widths, strict=True)
    ]
    return "  ".join(padded).rstrip()
