"""Stands in for torch where a test needs something that is imported, steps and is observed, but no arithmetic."""

from __future__ import annotations

import os
from collections.abc import Callable

observers: list[Callable[[], None]] = []
#: What the environment was when this was imported: a script sets it before.
threads = os.environ.get("OMP_NUM_THREADS_OF_TEST")

if os.environ.get("FAKE_TORCH") == "broken":
    raise OSError("libtorch.so: cannot open shared object file")


def step() -> None:
    """What an optimizer step is to an observer."""
    for observer in observers[:]:
        observer()
