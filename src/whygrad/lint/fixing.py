"""Carries fixes out on a text, again and again until there is nothing left to mend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whygrad.lint.checking import Check, run, suppressed
from whygrad.lint.edits import applied, chosen
from whygrad.lint.project import Project
from whygrad.lint.source import Source

_ROUNDS = 10


def mended(
    path: Path,
    source: Source,
    rules: dict[str, Check],
    project: Project,
    unsafe: bool = False,
    notes: bool = False,
) -> tuple[Source, int]:
    """The text with all fixes (``unsafe``: also those that may change more than the fault; ``notes``:
    also those for notes), and how many there were.

    Fixes that touch one another are carried out in turn. What a comment in the source asks to ignore stays as it is.
    Raises SourceError for a text that can't be checked, and where the fixes would leave one that does not parse."""
    count = 0
    for _ in range(_ROUNDS):
        fixes = [
            hit.edits
            for tree, slug, hit in run(path, source, rules, project)[0]
            if hit.edits is not None
            and (unsafe or hit.edits.safe)
            and (notes or hit.severity != "note")
            and not suppressed(source, tree, slug, hit)
        ]
        taken, edits = chosen(fixes)
        text = applied(source, edits)
        if text == source.text:
            break
        source, count = replace(source, text=text), count + taken
    return source, count
