"""Whether the process that writes a store still exists. Nothing here imports torch."""

from __future__ import annotations

import hashlib
import os
import platform


def own() -> str:
    """This process, for the record: a fingerprint of the machine, and the number that the process has there."""
    return f"{_machine()}:{os.getpid()}"


def gone(process: str) -> bool:
    """Whether a process that :func:`own` has named is surely no more. On another machine nothing is known."""
    machine, _, number = process.partition(":")
    if os.name != "posix" or machine != _machine() or not number.isdigit():
        return False  # on Windows to ask a process whether it is there would end it
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
