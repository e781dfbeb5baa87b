"""Whatever fails inside the observer, the script trains on, bit for bit, and the report says that something failed.

Nothing is listed by hand: every function of every module of ``whygrad.observe`` is made to fail in turn.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from training import train

import whygrad.observe
from whygrad.diagnose import diagnose
from whygrad.observe.session import Session
from whygrad.running.window import WindowClosed
from whygrad.trace import Trace


@dataclass(frozen=True)
class Observed:
    """What came of an observed training."""

    result: dict[str, bytes] | None
    error: BaseException | None
    trace: Trace
    session: Session

    def clean_up(self) -> None:
        """Take off what stayed because taking it off was what failed."""
        observation = self.session._observation
        if observation is not None:
            parts = (observation.patches, observation.optimizers, observation.modules, observation._modes)
            for part in parts:
                part.remove()


def observe(steps: int = 10**6) -> Observed:
    """Run the training under observation, in a thread of its own: no frame of the tests' lies below it."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(observe_here, steps).result()


def observe_here(steps: int = 10**6) -> Observed:
    """Run the training under observation."""
    session = Session("train.py", (), steps, lambda: None, lambda trace: None)
    result = error = None
    session.attach()
    try:
        result = train()
    except BaseException as raised:
        error = raised
    session.detach()
    return Observed(result, error, session.trace("end", None, 0, 0.0), session)


# -- every function fails ----------------------------------------------------------------------------

#: Functions that torch or the script calls: they hand the call on, or are a single ``try``. What they call fails in turn.
THROUGH = {
    "Watch.__torch_function__",
    "Backwards.call",
    "Backwards.grad",
    "Warned.show",
    "_Post.__call__",
    "_Leaf.__call__",
    "_Reader.__call__",
    "_RequiresGradAttribute.__get__",
    "_RequiresGradAttribute.__set__",
    "Own.__init__",
    "Quiet.__enter__",
    "Quiet.__exit__",
    "_Object.__init__",
    "_Object.__call__",
    "_Object.__getattr__",
}
#: What a session is made of: ``attach`` catches all of it.
OUTSIDE = {"guard", "session"}


@dataclass(frozen=True)
class Place:
    """A function, and where it stands."""

    owner: Any
    name: str
    function: FunctionType

    @property
    def label(self) -> str:
        return self.function.__qualname__


def modules() -> list[ModuleType]:
    """All modules of the observer."""
    package = whygrad.observe
    names = sorted(m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + "."))
    return [importlib.import_module(n) for n in names if n.rpartition(".")[2] not in OUTSIDE]


def functions(module: ModuleType) -> Iterator[Place]:
    """The functions and methods that a module defines."""
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    for owner in (module, *classes):
        for name, value in list(vars(owner).items()):
            function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            function = value.fget if isinstance(value, property) else function
            mine = inspect.isfunction(function) and function.__module__ == module.__name__
            if mine and function.__qualname__ not in THROUGH:
                yield Place(owner, name, function)


class Injected(RuntimeError):
    """The fault."""


def break_it(place: Place, patch: pytest.MonkeyPatch) -> list[str]:
    """Make a function fail whenever it is called. Returns a list that grows by every call."""
    calls: list[str] = []

    def fails(*args: Any, **kwargs: Any) -> Any:
        calls.append(place.label)
        raise Injected(place.label)

    cells = dict(zip(place.function.__code__.co_freevars, place.function.__closure__ or (), strict=True))
    if is_guarded(place.function):  # what is guarded fails, not its guard
        before = cells["method"].cell_contents
        patch.setattr(cells["method"], "cell_contents", fails)
        assert cells["method"].cell_contents is not before
    else:
        raw = vars(place.owner)[place.name]
        kind = type(raw) if isinstance(raw, (staticmethod, classmethod, property)) else None
        patch.setattr(place.owner, place.name, kind(fails) if kind else fails)
    return calls


def is_guarded(function: FunctionType) -> bool:
    """Whether ``guard.guarded`` stands around it."""
    return "guard" in function.__code__.co_filename.rpartition("/")[2] and hasattr(function, "__wrapped__")


@pytest.fixture(scope="module")
def alone() -> dict[str, bytes]:
    """The training without whygrad."""
    return train()


@pytest.fixture(scope="module")
def called() -> set[Any]:
    """The code of all that runs in an observed training."""
    found: set[Any] = set()

    def profile(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            found.add(frame.f_code)

    sys.setprofile(profile)
    try:
        observe_here()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.__name__.rpartition(".")[2])
def test_training_goes_on_whatever_fails(
    module: ModuleType, alone: dict[str, bytes], called: set[Any]
) -> None:
    wrong = []
    for place in functions(module):
        if inspect.unwrap(place.function).__code__ not in called:
            continue
        with pytest.MonkeyPatch.context() as patch:
            calls = break_it(place, patch)
            seen = observe()
        seen.clean_up()
        if seen.error is not None:
            wrong.append(f"{place.label} failed, and the script with it: {seen.error!r}")
        elif seen.result != alone:
            wrong.append(f"{place.label} failed, and the script computed something else")
        elif calls and is_guarded(place.function) and not any("Injected" in p for p in seen.trace.problems):
            wrong.append(f"{place.label} failed, and the trace does not say so: {seen.trace.problems}")
        if train() != alone:
            wrong.append(f"{place.label} failed, and something was left behind")
            break
    assert not wrong, "\n".join(wrong)


# -- particular faults -------------------------------------------------------------------------------


def plain_training() -> None:
    """Ten steps."""
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(4, 3)).square().mean().backward()
        optimizer.step()


@contextlib.contextmanager
def attached(session: Session) -> Iterator[None]:
    """Observing, for two steps and no longer, whatever the source of the tests shows to be coming."""
    session.attach()
    assert session._observation is not None
    session._observation.until.looks_ahead = False
    try:
        yield
    finally:
        session.detach()


def test_the_end_of_the_window_is_no_fault() -> None:
    session = Session("train.py", (), 2, lambda: None, lambda trace: None)
    with attached(session), pytest.raises(WindowClosed):
        plain_training()
    trace = session.trace("steps", None, 0, 0.0)
    assert (trace.step_count(), trace.problems) == (2, ())


def test_a_callback_that_fails_does_not_keep_the_window_open() -> None:
    def fails(*args: Any) -> None:
        raise Injected

    session = Session("train.py", (), 2, fails, fails)
    with attached(session), pytest.raises(WindowClosed):
        plain_training()
    assert any("Injected" in p for p in session.trace("steps", None, 0, 0.0).problems)


def test_what_cannot_be_put_together_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assemble = importlib.import_module("whygrad.observe.observation")
    monkeypatch.setattr(assemble, "assemble", lambda *args: 1 / 0)
    report = diagnose(observe().trace)
    assert report.verdict == "incomplete"
    assert any("ZeroDivisionError" in sentence for sentence in report.incomplete)


def test_an_observer_that_cannot_begin_leaves_nothing(
    alone: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizers = importlib.import_module("whygrad.observe.optimizers")
    monkeypatch.setattr(optimizers, "register_optimizer_step_post_hook", lambda hook: 1 / 0)
    hooks = importlib.import_module("torch.optim.optimizer")._global_optimizer_pre_hooks
    before = dict(hooks)
    seen = observe()
    assert seen.result == alone
    assert diagnose(seen.trace).verdict == "incomplete"
    assert "ZeroDivisionError" in seen.trace.problems[0]
    assert dict(hooks) == before


def test_a_time_limit_of_the_script_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its signal handler may run while the observer is at work, and raises through it."""

    def handler(number: int, frame: object) -> None:
        raise TimeoutError("the script's own")

    recorder = importlib.import_module("whygrad.observe.recorder")
    monkeypatch.setattr(
        recorder.Recorder, "operation", lambda *args, **kwargs: signal.raise_signal(signal.SIGUSR1)
    )
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        seen = observe_here()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert isinstance(seen.error, TimeoutError)
