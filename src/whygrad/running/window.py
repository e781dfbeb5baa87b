"""The end of the window: how the observer ends a script once it has seen enough."""

from __future__ import annotations


class WindowClosed(BaseException):
    """Raised inside the user's script after the last step to be observed.

    Like ``KeyboardInterrupt`` it is no ``Exception``, so that ``except Exception`` lets it through."""
