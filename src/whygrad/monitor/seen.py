"""What the monitor knows of one optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whygrad.monitor.plan import Noted, Plan


class Seen:
    """One optimizer. ``count``: its steps; ``due``: the next one that is measured; ``base``: steps of the training before
    its first. ``stepping``: between the hooks."""

    __slots__ = ("base", "count", "due", "faults", "in_a_row", "noted", "plan", "ref", "stepping", "waits")

    def __init__(self, ref: Callable[[], Any], base: int) -> None:
        self.ref, self.base = ref, base
        self.count, self.due = 0, 1
        self.plan: Plan | None = None
        self.noted: Noted | None = None
        self.waits = False  #: gradients come with the closure, so that they are measured after the step
        self.stepping = False
        self.faults = self.in_a_row = 0
