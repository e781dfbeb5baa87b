"""The base of everything in a trace."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of everything in a trace: immutable, stored as an array."""
