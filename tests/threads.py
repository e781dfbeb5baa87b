"""Tests that leave something behind in the thread that they run in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec

P = ParamSpec("P")


def in_a_thread_of_its_own(test: Callable[P, None]) -> Callable[P, None]:
    """Run a test in a thread that ends with it.

    Operations on DTensors leave process groups in a cache of their thread. A process that is forked later, by a
    DataLoader in another test, would destroy them as its own, and wait for ever.
    """

    @functools.wraps(test)
    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(test, *args, **kwargs).result()

    return call
