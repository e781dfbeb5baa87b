"""Writing to the user: sentences, and what a stream can show."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from typing import TextIO

_WIDTH = 80


def say(sentence: str, stream: TextIO | None = None) -> None:
    """One sentence of ours, on standard error or in its place. If that fails, nobody can be told."""
    with contextlib.suppress(OSError):
        write(f"whygrad: {sentence}\n", stream or sys.stderr)


def write(text: str, stream: TextIO | None) -> None:
    """Write text wherever the stream leads; what its encoding lacks is replaced, a reader that left is no error."""
    if stream is None or not is_open(stream):
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # the interpreter's own flush at exit must not fail a second time
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_open(stream: TextIO | None) -> bool:
    """Whether a stream can still be used: scripts close, detach and replace theirs."""
    try:
        return stream is not None and not stream.closed
    except ValueError:  # detached
        return False


@dataclass(frozen=True)
class Look:
    """How wide a report may be, whether it may be coloured, and whether it may go beyond ASCII."""

    width: int = _WIDTH
    colour: bool = False
    unicode: bool = True

    @classmethod
    def of(cls, stream: TextIO | None) -> Look:
        """What suits a stream, by its terminal and the environment (``COLUMNS``, ``NO_COLOR``, ``TERM``)."""
        columns = os.environ.get("COLUMNS", "")
        terminal = is_terminal(stream)
        width = int(columns) if columns.isdecimal() else 0
        if not width and terminal and stream is not None:
            with contextlib.suppress(OSError):
                width = os.get_terminal_size(stream.fileno()).columns
        colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(width or _WIDTH, colour, _knows_unicode(stream))


def _knows_unicode(stream: TextIO | None) -> bool:
    try:
        "│→…".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is likely to be looking at what is written there."""
    return stream is not None and is_open(stream) and stream.isatty()
