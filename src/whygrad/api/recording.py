"""``whygrad.record()``: observe any block of code, and report on it."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from contextlib import AbstractContextManager
from types import TracebackType

import msgspec
from torch.overrides import _get_current_function_mode_stack

from whygrad import trace as t
from whygrad.diagnose import diagnose
from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.observe.mode import Watch
from whygrad.observe.observation import Observation
from whygrad.observe.session import Session
from whygrad.proving.intervention import Intervention

_NO_END = 10**9


class Recording(AbstractContextManager["Recording"]):
    """A block of code under observation.

    Inside the block everything runs as it would without; what was seen is there once the block is left, also when
    it is left by an exception, which passes through unchanged.

    Models and optimizers that were made before the block are observed too, but where they were made is not known.

    Args:
        name: what the report calls the code (default: the file of the caller).
        steps: optimizer steps to observe closely; the rest of the block is only followed (default: all of it).

    Within another recording, or under ``whygrad run``, the outer one sees nothing of the block.

    Raises:
        UsageError: on asking for a report before the block was left.
    """

    def __init__(
        self, name: str | None = None, steps: int | None = None, intervention: Intervention | None = None
    ) -> None:
        self._intervention = intervention
        self._name = name or sys._getframe(1).f_code.co_filename
        self._steps = steps or _NO_END
        self._session: Session | None = None
        self._trace: t.Trace | None = None
        self._began = 0.0
        self._outer: Observation | None = None

    def __enter__(self) -> Recording:
        self._outer = observation()
        if self._outer is not None:
            self._outer.suspend()
        self._session = Session(
            self._name, (), self._steps, lambda: None, None, self._intervention, ends=False
        )
        self._began = time.perf_counter()
        self._session.attach()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        session = self._session
        if session is None:
            return
        seconds = time.perf_counter() - self._began
        session.detach()
        ended = "end" if error is None else "raised" if isinstance(error, Exception) else "interrupted"
        self._trace = session.trace(ended, error, int(error is not None), seconds)
        self._session = None
        if self._outer is not None:
            self._outer.resume()
            self._outer = None

    @property
    def trace(self) -> t.Trace:
        """What was observed. Raises UsageError before the block is over."""
        if self._trace is None:
            raise UsageError("There is no recording yet; leave the `with whygrad.record()` block first.")
        return self._trace

    @property
    def full(self) -> bool:
        """Whether as much was seen as was wanted."""
        return self._session is not None and self._session.closed

    def add(self, checked: t.Checked) -> None:
        """Put the answers of a check into what was observed."""
        learning = msgspec.structs.replace(self.trace.learning, checked=checked)
        self._trace = msgspec.structs.replace(self.trace, learning=learning)

    def report(self, select: Collection[str] = (), ignore: Collection[str] = ()) -> Report:
        """What the rules say of it: all of them, only ``select``, or all but ``ignore`` (slugs)."""
        return diagnose(self.trace, select, ignore)


def record(name: str | None = None, steps: int | None = None) -> Recording:
    """Observe a block of code: see :class:`Recording`.

    >>> import torch, whygrad
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with whygrad.record() as recording:
    ...     for _ in range(3):
    ...         optimizer.zero_grad()
    ...         model(torch.ones(4, 3)).detach().requires_grad_().pow(2).mean().backward()
    ...         optimizer.step()
    >>> [finding.rule for finding in recording.report().findings if finding.severity == "error"]
    ['detached-path']
    """
    return Recording(name or sys._getframe(1).f_code.co_filename, steps)


def observation() -> Observation | None:
    """What observes this thread right now, if anything does."""
    modes = _get_current_function_mode_stack()
    watch = next((mode for mode in reversed(modes) if isinstance(mode, Watch)), None)
    seen: Observation | None = watch.seen_by() if watch is not None else None
    return seen
