"""From what came of each file to one report; on the way, files are changed or their changes shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO

from whygrad.finding import Finding
from whygrad.lint.report import LintReport, Problem
from whygrad.lint.rewriting import difference, write
from whygrad.lint.work import Done
from whygrad.running.streams import is_terminal
from whygrad.running.streams import write as show

_PATIENCE = 1.0
_OFTEN = 0.2


def gather(results: Iterable[Done], changing: bool, stream: TextIO | None) -> LintReport:
    """The report on all the files. What is mended is written if ``changing``, after all have been checked, so that none
    is judged by a half-changed project; else it is shown as a diff on ``stream``."""
    start = time.monotonic()
    findings: list[Finding] = []
    problems: list[Problem] = []
    mended: list[Done] = []
    files = 0
    for done in results:
        files += 1
        checked = done.checked
        findings += checked.findings
        problems += [Problem(checked.file, text) for text in (checked.problem, *checked.failures) if text]
        if done.fixes:
            mended.append(done)
    fixes = changed = 0
    for done in mended:
        if not changing:
            show(difference(done.checked.file, done.before, done.after, done.encoding), stream)
        failure = write(done.path, done.before, done.after) if changing else ""
        if failure:
            problems.append(Problem(done.checked.file, failure))
        else:
            fixes, changed = fixes + done.fixes, changed + 1
    seconds = round(time.monotonic() - start, 3)
    return LintReport(files, seconds, tuple(findings), tuple(problems), fixes, changed)


def told(results: Iterable[Done], total: int) -> Iterator[Done]:
    """The same results; on a terminal a line tells how many there are yet, from the first second on."""
    live = is_terminal(sys.stderr)
    start = time.monotonic()
    last, width = start + _PATIENCE, 0
    for number, done in enumerate(results, 1):
        yield done
        now = time.monotonic()
        if live and now - last >= _OFTEN and number < total:
            line = f"whygrad: {number:,} of {total:,} files"
            show(f"\r{line}", sys.stderr)
            last, width = now, len(line)
    if width:
        show(f"\r{' ' * width}\r", sys.stderr)
