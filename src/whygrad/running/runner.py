"""Runs the user's script as ``__main__`` and says how it ended.

Everything a script can see is as it would be without whygrad: ``sys.argv``, ``sys.path``, ``__main__``, its
traceback, its hooks, its threads. The one difference is that a script may be ended early, by
:class:`~whygrad.running.window.WindowClosed`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from whygrad.running import tracebacks
from whygrad.running.program import Target, module_problem, prepare
from whygrad.running.torch_import import NAME, TorchImport

__all__ = ["Ended", "Outcome", "Target", "Watcher", "run"]

#: The last two: whygrad has ended one of several ranks (see ``stalling``).
Ended = Literal["steps", "end", "exit", "raised", "interrupted", "stopped", "hung"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells say it


class Watcher(Protocol):
    """What watches the script: it is attached once torch has been imported."""

    @property
    def closed(self) -> bool:
        """Enough was seen, and the script is being ended."""

    def attach(self) -> None:
        """Begin to watch. Called once, right after the script's ``import torch``."""


@dataclass(frozen=True)
class Outcome:
    """How the script ended. ``status`` is the exit status that it would have had alone, 0 after ``steps``;
    ``error`` is kept for ``raised``, ``exit`` and ``interrupted``. ``compiled``: its source could be compiled.
    ``problem``: why watching could not begin."""

    ended: Ended
    status: int
    error: BaseException | None
    torch_seen: bool
    seconds: float
    compiled: bool = True
    problem: str = ""


def run(target: Target, watcher: Watcher) -> Outcome:
    """Run ``target`` to its end, or to the end of the window. Raises UsageError, and nothing else."""
    program = prepare(target)
    hook = TorchImport(watcher.attach)
    start = time.perf_counter()
    hook.install()
    try:
        error = _caught(program)
        if error is not None and (problem := module_problem(target, error)) is not None:
            raise problem
        ended, status = _end(error, watcher)
    finally:
        hook.remove()
    return Outcome(
        ended=ended,
        status=status,
        # the frames that an exception holds would keep the script's data loaders and models alive
        error=None if ended == "steps" else error,
        torch_seen=NAME in sys.modules,
        seconds=time.perf_counter() - start,
        compiled=not (isinstance(error, (SyntaxError, ValueError)) and error.__traceback__ is None),
        problem=hook.problem,
    )


def _caught(program: Callable[[], None]) -> BaseException | None:
    """Run, and return what was raised."""
    try:
        program()
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: the caller tells them apart
        return error
    return None


def _end(error: BaseException | None, watcher: Watcher) -> tuple[Ended, int]:
    """Do what the interpreter does once ``__main__`` is over: say what was raised, and wait for the threads."""
    ended: Ended = "end"
    status = 0
    if error is not None and not watcher.closed:
        ended, status = _ended_by(error)
    if not watcher.closed:
        try:
            _wait_for_threads(watcher)
        except KeyboardInterrupt as interrupt:
            if not watcher.closed:
                return _ended_by(interrupt)
    # What a script raises while it is being ended has its cause in our exception: nothing is said about it.
    return ("steps", 0) if watcher.closed else (ended, status)


def _ended_by(error: BaseException) -> tuple[Ended, int]:
    if isinstance(error, SystemExit):
        return "exit", _exit_status(error)
    tracebacks.clean(error)
    status = _show(error)
    return ("interrupted", _INTERRUPTED) if isinstance(error, KeyboardInterrupt) else ("raised", status)


def _exit_status(error: SystemExit) -> int:
    """The status that ``sys.exit`` asked for; a message is printed, as the interpreter does."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    _print(str(error.code))
    return 1


def _show(error: BaseException) -> int:
    """Print an uncaught exception through ``sys.excepthook``, the script's own if it has set one."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as leave:
        return _exit_status(leave)
    except BaseException as second:
        tracebacks.clean(second)
        _print("Error in sys.excepthook:")
        sys.__excepthook__(type(second), second, second.__traceback__)
        _print("\nOriginal exception was:")
        sys.__excepthook__(type(error), error, error.__traceback__)
    return 1


def _print(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(line + "\n")


def _wait_for_threads(watcher: Watcher) -> None:
    """Wait for the threads that keep a process alive: they may be the ones that train."""
    me = threading.current_thread()
    if any(thread is not me and not thread.daemon for thread in threading.enumerate()) and not watcher.closed:
        # What the interpreter calls here. Joining one by one would wait for ever for the idle workers of a
        # ThreadPoolExecutor, which this tells to leave.
        threading._shutdown()  # type: ignore[attr-defined]
