"""What a rule yields."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from whygrad.finding import Severity
from whygrad.lint.edits import Fix


@dataclass(frozen=True)
class Hit:
    """A fault seen in the source.

    ``node`` is the place to look at first, in the file that is checked; ``also`` further places in it, each with its role
    (``backward``, ``created``, ...). ``title`` says in one sentence what is wrong, ``fix`` in one or two what to do to
    this very code. ``severity``: ``error`` where what the source says breaks a link whenever it runs, ``warning`` where
    that is likely, ``note`` for what is worth knowing and harms nothing. ``link`` as in a finding: 1 to 9, 10 or 0.
    ``edits`` mend it, if that can be done by changing text."""

    node: ast.AST
    title: str
    fix: str
    severity: Severity = "error"
    link: int = 0
    role: str = ""
    also: tuple[tuple[ast.AST, str], ...] = field(default=())
    edits: Fix | None = None
