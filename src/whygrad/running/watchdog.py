"""Sees to it that a script ends once its window has closed, whatever it catches and whatever it waits for.

A framework may swallow :class:`~whygrad.running.window.WindowClosed`; the main thread may wait for a thread that it
ended; a worker may keep the process alive. The report must come all the same, and exactly once.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import threading
from collections.abc import Callable

from whygrad.running.window import WindowClosed

#: Seconds that a script has to come to its end after its window has closed, and the process after the report.
GRACE = 10.0
_FLUSH = 2.0


class Watchdog:
    """Two deadlines. If the script has not come back ``grace`` seconds after :meth:`start`, ``conclude`` (which
    makes the report and returns the exit status) is called from a thread of ours, and the process is ended.
    If the script has come back, its main thread calls ``conclude`` itself; then the process has ``grace`` seconds
    to end in the regular way."""

    def __init__(self, conclude: Callable[[], int], grace: float = GRACE) -> None:
        self._conclude = conclude
        self._grace = grace
        self._process = os.getpid()
        self._started = threading.Lock()
        self._turn = threading.Lock()
        self._back = threading.Event()
        self._reported = threading.Event()
        self._leaving = threading.Event()
        self._flusher = threading.Thread(target=self._flush, name="whygrad-flusher", daemon=True)
        self._status = 0

    def start(self) -> None:
        """The window has closed: the time runs. Called in the user's thread, just before WindowClosed is raised,
        and again whenever a script that has caught it is sent another."""
        if os.getpid() != self._process or not self._started.acquire(blocking=False):
            return
        silence_threads()
        # Both now: from Python 3.12 on no thread can be started once the interpreter has begun to shut down.
        watching = threading.Thread(target=self._watch, name="whygrad-watchdog", daemon=True)
        # Where it has begun already, or threads are used up, the script has to end without a deadline.
        with contextlib.suppress(RuntimeError):
            self._flusher.start()
            watching.start()

    def conclude_now(self, conclude: Callable[[], int]) -> None:
        """End the script from here, a thread of ours, whatever it waits for; ``conclude`` makes the report and gives the
        exit status. Does nothing if the report is being made already."""
        if not self._turn.acquire(blocking=False):
            return
        with contextlib.suppress(RuntimeError):  # it runs already
            self._flusher.start()
        self._status = 2
        try:
            self._status = conclude()
        finally:
            self._leave()

    def claim(self) -> None:
        """The main thread is back and is going to make the report. Never returns if the watchdog is making it."""
        if not self._turn.acquire(blocking=False):
            threading.Event().wait()  # the process is about to end
        self._back.set()

    def reported(self, status: int) -> None:
        """The report is out; the process has to end with ``status``."""
        self._status = status
        self._reported.set()

    def _watch(self) -> None:
        if not self._back.wait(self._grace) and self._turn.acquire(blocking=False):
            self._status = 2
            try:
                self._status = self._conclude()
            finally:
                self._leave()
        self._reported.wait()
        threading.Event().wait(self._grace)
        # A daemon thread stops once the interpreter has waited for threads and run its atexit handlers,
        # so whoever comes here hangs in one of them.
        self._leave()

    def _leave(self) -> None:
        """End the process at once, with everything written that was waiting to be written."""
        # from a thread of its own: a stream may be locked by the very thread that hangs
        self._leaving.set()
        self._flusher.join(_FLUSH)
        _end_children()
        os._exit(self._status)

    def _flush(self) -> None:
        self._leaving.wait()
        _flush_everything()


def silence_threads() -> None:
    """Say nothing about threads that end because of WindowClosed; every other exception goes the way it went."""
    previous = threading.excepthook

    def hook(args: threading.ExceptHookArgs) -> None:
        if not _caused_by_closing(args.exc_value):
            previous(args)

    threading.excepthook = hook


def _caused_by_closing(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, WindowClosed):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _flush_everything() -> None:
    """Flush the standard streams and every file the script has left open."""
    files = [o for o in gc.get_objects() if issubclass(type(o), (io.TextIOWrapper, io.BufferedWriter))]
    # text first: it goes into a binary buffer, which may be another one of these
    files.sort(key=lambda file: isinstance(file, io.BufferedWriter))
    for file in [sys.stdout, sys.stderr, *files]:
        try:
            file.flush()
        except Exception:  # noqa: S110  (closed, read-only, a full disk: there is nothing left to do about it)
            pass


def _end_children() -> None:
    """End the script's worker processes, which would be left behind."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is None:
        return
    for child in multiprocessing.active_children():
        with contextlib.suppress(OSError, ValueError):  # it ended by itself
            child.terminate()
