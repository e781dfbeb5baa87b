"""The table of the records that are kept, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.cells import cell_len

from whygrad.render._page import Page, shorten_cells
from whygrad.render._text import clean
from whygrad.render._words import VERDICTS
from whygrad.saved import records
from whygrad.saved.listing import Entry

_HEAD = ("", "when", "script", "verdict", "steps")


def records_table(found: Iterable[Entry], cwd: str, width: int, colour: bool, unicode: bool) -> str:
    """Newest first. ``cwd``: the scripts of other folders are shown with them."""
    page = Page(width, colour, unicode)
    rows = [_cells(entry, cwd) for entry in found]
    kept = f"The newest {records.KEPT} records are kept in"
    if not rows:
        page.paragraph(f"There is no record yet. {kept} {clean(str(records.folder()))}; a run makes one.")
        return page.text()
    page.paragraph(kept)
    page.line(clean(str(records.folder())))
    page.blank()
    widths = [max(cell_len(row[i]) for row in [_HEAD, *rows]) for i in range(len(_HEAD))]
    widths[2] = max(min(widths[2], page.width - sum(widths) + widths[2] - 2 * (len(widths) - 1)), 12)
    for row in [_HEAD, *rows]:
        fitted = [*row[:2], shorten_cells(row[2], widths[2]), *row[3:]]
        padded = [cell + " " * (widths[i] - cell_len(cell)) for i, cell in enumerate(fitted)]
        page.cropped(("  ".join(padded).rstrip(), "dim" if row is _HEAD else ""))
    page.blank()
    page.paragraph("Show one: whygrad report 2. Compare the last two: whygrad report --against 2")
    return page.text()


def _cells(entry: Entry, cwd: str) -> tuple[str, ...]:
    when = records.made(Path(entry.path)).astimezone().strftime("%Y-%m-%d %H:%M")
    if entry.problem:
        return (str(entry.number), when, clean(Path(entry.path).name), "cannot be read", "")
    verdict = VERDICTS.get(entry.verdict, entry.verdict)
    return (str(entry.number), when, clean(_script(entry, cwd)), verdict, str(entry.steps))


def _script(entry: Entry, cwd: str) -> str:
    """What was run, as seen from here: ``-m train`` and the like as they were given."""
    if not entry.script.endswith((".py", ".ipynb")):
        return entry.script
    # a notebook is run in its own folder
    name = Path(entry.script).name if entry.script.endswith(".ipynb") else entry.script
    whole = Path(entry.folder, name)
    return str(whole.relative_to(cwd)) if whole.is_relative_to(cwd) else str(whole)
