"""A thread of the monitor's, beside the one that trains: it is handed things, and works through them in order."""

from __future__ import annotations

import queue
import threading
import time
from typing import Generic, TypeVar

Item = TypeVar("Item")


class OwnThread(Generic[Item]):
    """What the monitor's threads have in common. A subclass starts it (``_thread``) once it is ready, and gives ``_run``."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Item | threading.Event] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="whygrad-monitor", daemon=True)

    def put(self, item: Item) -> None:
        """Hand something over."""
        self._queue.put(item)

    def wait(self, seconds: float) -> bool:
        """Wait until all that was given so far is worked through; whether it was in time."""
        done = threading.Event()
        self._queue.put(done)
        return done.wait(seconds)

    def end(self, seconds: float) -> None:
        """Work through the rest and finish; wait for it ``seconds`` at most."""
        self._queue.put(self._ended)
        self._thread.join(seconds)

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        """Until ``_ended`` is among those that wait: take what there is, and set the events of those that wait for it."""
        raise NotImplementedError

    def _arrived(
        self, seconds: float | None = None, pause: float = 0.0
    ) -> tuple[list[Item], list[threading.Event]]:
        """What there is to do, and who waits for it; both empty if nothing came for ``seconds``.

        ``pause`` seconds later it is taken, unless somebody waits, so that more comes together."""
        try:
            items = [self._queue.get(timeout=seconds)]
        except queue.Empty:
            return [], []
        if pause and not isinstance(items[0], threading.Event):
            time.sleep(pause)
        while not self._queue.empty():
            items.append(self._queue.get())
        waiting = [item for item in items if isinstance(item, threading.Event)]
        return [item for item in items if not isinstance(item, threading.Event)], waiting
