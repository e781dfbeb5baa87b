"""Warnings are shown with the line, and judged by the filters, that they would have without whygrad.

What torch warns of from C++, and with a ``stacklevel`` from Python, is put down to the frame that called torch; under
observation that frame is one of ours. The files with such frames have ``__warningregistry__ = None``, so that Python
never takes one of their warnings for a repetition. Each comes to ``Warned.show``, which raises it again where the
user's own call stands.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from torch.overrides import handle_torch_function

from whygrad.home import PACKAGE
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.patching import Patches

_OBSERVER = str(Path(__file__).parent)
_HANDLE: CodeType = handle_torch_function.__code__
_OUTSIDE = ("<sys>", 0) if sys.version_info >= (3, 12) else ("sys", 1)


class Warned:
    """Replaces the function that Python's warnings come to in order to be shown or recorded."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self._show: Callable[[warnings.WarningMessage], None] = lambda message: None

    def install(self, patches: Patches) -> None:
        """Begin to put warnings right."""
        show = getattr(warnings, "_showwarnmsg", None)
        if show is not None:
            self._show = show
            patches.set(warnings, "_showwarnmsg", self.show)

    def show(self, message: warnings.WarningMessage) -> None:
        """Show a warning; one that was put down to a frame of ours is raised again at the user's."""
        self._clean(message)
        again = sys._getframe(1).f_code is sys._getframe(0).f_code
        place = None if again else self._place(message)
        if place is None:
            self._show(message)
        else:
            # may raise: the script's filters can turn a warning into an error
            warnings.warn_explicit(message.message, message.category, *place, source=message.source)

    @guarded("a warning", None)
    def _clean(self, message: warnings.WarningMessage) -> None:
        """Anomaly detection quotes the stack of the forward call: without our part of it."""
        text = str(message.message)
        if _OBSERVER in text:
            message.message = message.category(without_our_lines(text))

    @guarded("a warning", None)
    def _place(self, message: warnings.WarningMessage) -> tuple[str, int, str, Any] | None:
        """File, line, module and registry of the frame that would have been blamed."""
        stack = list(_frames(sys._getframe(3)))
        wanted = (message.filename, message.lineno)
        level = next((i for i, f in enumerate(stack) if (f.f_code.co_filename, f.f_lineno) == wanted), None)
        if level is None:
            return None
        real = _without_detours(stack)
        if real[level : level + 1] == stack[level : level + 1]:
            return None
        if level >= len(real):  # beyond the script's first frame: as the interpreter puts it
            return *_OUTSIDE, "sys", vars(sys).setdefault("__warningregistry__", {})
        variables = real[level].f_globals
        registry = variables.setdefault("__warningregistry__", {})
        return (
            real[level].f_code.co_filename,
            real[level].f_lineno,
            variables.get("__name__", "<string>"),
            registry,
        )


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _without_detours(stack: list[FrameType]) -> list[FrameType]:
    """The frames, innermost first, that would be there without whygrad.

    A function of torch that is written in Python hands itself to an active mode, and is called a second time from
    there: the first call and the one that hands over go too."""
    real: list[FrameType] = []
    frames = iter(stack)
    ours = False
    for frame in frames:
        file = frame.f_code.co_filename
        if file.startswith(_OBSERVER):
            ours = True
        elif file.startswith(PACKAGE):
            break  # what runs the script
        elif ours and frame.f_code is _HANDLE:
            next(frames, None)
            ours = False
        else:
            ours = False
            real.append(frame)
    return real


def without_our_lines(text: str) -> str:
    """A printed stack, outermost call first, without the entries that would not be there without whygrad."""
    entries: list[list[str]] = [[]]  # what stands before the first entry, then the entries
    after: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith('  File "'):
            entries.append([])
        (entries[-1] if len(entries) == 1 or line.startswith("  ") else after).append(line)
    kept: list[list[str]] = []
    inner = iter(reversed(entries[1:]))
    ours = False
    for entry in inner:
        if entry[0].startswith(f'  File "{_OBSERVER}'):
            ours = True
        elif entry[0].startswith(f'  File "{PACKAGE}'):
            break  # what runs the script
        elif ours and entry[0].rstrip().endswith(f"in {_HANDLE.co_name}"):
            next(inner, None)
            ours = False
        else:
            ours = False
            kept.append(entry)
    return "".join([line for entry in [entries[0], *reversed(kept), after] for line in entry])
