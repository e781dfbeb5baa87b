"""Where the script stands, if it has to be asked from outside."""

from __future__ import annotations

from typing import Any

from whygrad.observe.patching import Patches
from whygrad.observe.standing import Standing
from whygrad.observe.watcher import Watcher


class Watch(Watcher):
    """Gives the observation the means to look, and the trace the last look."""

    def install(self, patches: Patches) -> None:
        """Nothing is replaced."""
        self.seen.standing = Standing(self.recorder.stacks)

    def facts(self) -> dict[str, Any]:
        """See :class:`whygrad.trace.Standing`."""
        standing = self.seen.standing
        return {"standing": standing.taken if standing is not None else None}
