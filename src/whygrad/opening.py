"""Showing a report in the user's browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

#: Where a report goes that is to be opened and has no place. It is in sight: a browser that is confined (as a snap or a
#: flatpak) reads neither hidden folders nor temporary ones.
DEFAULT = Path("whygrad-report.html")


def show(path: Path, say: Callable[[str], None]) -> None:
    """Open a file in the browser; where there is none, say so. Never raises: the report is written already."""
    try:
        opened = has_screen() and webbrowser.open(path.as_uri())
    except Exception:  # whatever a browser's launcher does
        opened = False
    if not opened:
        say(f"no browser could be started here; open {path} yourself.")


def has_screen() -> bool:
    """Whether a browser would have a screen: without one a text browser would take over the terminal."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
