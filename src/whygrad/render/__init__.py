"""Renderers: a module here draws a report with ``render(report, **options) -> str``.

They are found by walking this package; a module's name is the format's name, names with a leading
underscore are helpers. Options that a renderer does not know are ignored, so that all are called alike.
"""

from __future__ import annotations

import pkgutil
from typing import Any, Protocol, cast

from whygrad.finding import Report
from whygrad.running.quiet_import import load


class Renderer(Protocol):
    """What every renderer's ``render`` is. The text ends with a newline."""

    def __call__(self, report: Report, **options: Any) -> str:
        """Draw ``report``."""


def formats() -> tuple[str, ...]:
    """The names of all formats, without importing any renderer."""
    return tuple(
        sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    )


def renderer(name: str) -> Renderer:
    """The renderer of one format. Raises KeyError for a name that :func:`formats` does not list."""
    if name not in formats():
        raise KeyError(name)
    return cast(Renderer, load(f"{__name__}.{name}").render)
