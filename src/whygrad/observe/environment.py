"""What the run ran on. Does not import torch: it asks whether the script has."""

from __future__ import annotations

import platform
import sys

from whygrad import __version__
from whygrad.ranks.job import place


def environment() -> dict[str, str | int]:
    """Versions of Python, torch (if the script imported it) and whygrad, the number of ranks, and of several which one
    this is."""
    torch = sys.modules.get("torch")
    found: dict[str, str | int] = {
        "python": platform.python_version(),
        "whygrad": __version__,
        "world_size": 1,
    }
    if (own := place()) is not None:
        found |= {"world_size": own.world, "rank": own.rank}
    if torch is not None:
        found["torch"] = str(getattr(torch, "__version__", ""))
    return found
