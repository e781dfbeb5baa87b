"""What alarms that compare ranks have in common."""

from __future__ import annotations

from collections.abc import Sequence

from whygrad.monitor.rows import Row

_LOOKS = 2  #: comparisons in a row in which copies differ


class Apart:
    """Follows which copies have parted: those that were alike after a step, or that DistributedDataParallel keeps alike."""

    def __init__(self) -> None:
        self.alike_until = 0
        self._alike: set[int] = set()
        self._looks: dict[int, int] = {}

    def new(self, row: Row) -> list[int]:
        """The parameters that differ in this comparison and in the one before."""
        across = row.across
        if across is None or not across.looked:
            return []
        if not across.apart:
            self.alike_until = row.step
        every = range(len(row.norms))
        self._alike.update(i for i in every if i not in across.apart)
        self._looks = {i: self._looks.get(i, 0) + 1 for i in across.apart}
        known = set(every) if across.replicas else self._alike
        return [i for i, looks in self._looks.items() if looks >= _LOOKS and i in known]


def named(names: Sequence[str]) -> str:
    """One name, and how many more."""
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"


def ranks_said(ranks: Sequence[int]) -> str:
    """``rank 1``, ``ranks 1, 2``; of many the first few."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    shown = ", ".join(map(str, ranks[:6]))
    return f"ranks {shown}" + (f" and {len(ranks) - 6} more" if len(ranks) > 6 else "")
