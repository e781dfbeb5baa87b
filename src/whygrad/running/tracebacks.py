"""Takes whygrad's own frames out of tracebacks, so that a script's errors look as they do without it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType

from whygrad.home import PACKAGE

_OURS = PACKAGE + os.sep


def clean(error: BaseException) -> None:
    """Remove our frames from the traceback of ``error`` and of all that it is chained to."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        current.__traceback__ = _without_ours(current.__traceback__)
        waiting += [e for e in (current.__cause__, current.__context__) if e is not None]
        # the members of an ExceptionGroup (Python 3.11)
        waiting += [e for e in getattr(current, "exceptions", ()) if isinstance(e, BaseException)]


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    entries = list(_entries(traceback))
    kept: list[TracebackType] = []
    behind_ours = False
    for index, entry in enumerate(entries):
        if _is_ours(entry):
            behind_ours = True
            _drop_detour(kept, _next_foreign(entries, index))
        elif not (behind_ours and _is_import_machinery(entry)):
            behind_ours = False
            kept.append(entry)
    if len(kept) == len(entries):
        return traceback
    cleaned: TracebackType | None = None
    for entry in reversed(kept):
        cleaned = TracebackType(cleaned, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return cleaned


def _drop_detour(kept: list[TracebackType], following: TracebackType | None) -> None:
    """Drop what stands before a frame of ours only because of us.

    The import system hides its frames from tracebacks unless a stranger (our hook) is among them. And a function
    of torch that is written in Python hands itself to an active mode, and is called a second time from there."""
    while kept and _is_import_machinery(kept[-1]):
        kept.pop()
    if kept and kept[-1].tb_frame.f_code.co_name == "handle_torch_function":
        kept.pop()
        if kept and following and kept[-1].tb_frame.f_code is following.tb_frame.f_code:
            kept.pop()


def _next_foreign(entries: list[TracebackType], index: int) -> TracebackType | None:
    return next((entry for entry in entries[index:] if not _is_ours(entry)), None)


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_ours(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(_OURS)


def _is_import_machinery(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith("<frozen importlib.")
