"""Runs a short training script under observation, within the process of the tests.

A process of its own for each script would cost two seconds, most of them for importing torch. Here every script
gets a thread instead: grad mode, autocast and the observer's function mode are a thread's own, so that nothing
of them outlives it, and the stack below the script is free of the tests' frames. What torch and Python keep for
the whole process (random states, the default dtype, ``__main__``, ...) is put back afterwards.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch

from whygrad.diagnose import diagnose
from whygrad.finding import Finding, Report
from whygrad.graph import Graph
from whygrad.observe.session import Session
from whygrad.proving.intervention import Intervention
from whygrad.running.program import Target, prepare
from whygrad.running.window import WindowClosed
from whygrad.trace import Trace


@dataclass(frozen=True)
class Case:
    """What came of a script: its graph, its report, what it printed and what it raised."""

    graph: Graph
    report: Report
    printed: str
    error: BaseException | None

    @property
    def loud(self) -> tuple[Finding, ...]:
        """Errors and warnings, most important first."""
        return self.report.loud()

    def said(self) -> str:
        """All of it as text, for the message of a failed assertion."""
        findings = [
            f"{f.severity} {f.rule}: {f.title} {[(c.line, c.role) for c in f.causes]} {f.parameters}"
            for f in self.report.findings
        ]
        verdicts = [f"  {p.fqn}: {p.verdict}" for p in self.report.parameters]
        notes = [*self.report.incomplete, *([repr(self.error)] if self.error else [])]
        head = f"{self.report.verdict}; {self.report.steps} steps, {self.report.backwards} backward passes"
        return "\n".join([head, *findings, *verdicts, *notes])


def run_case(script: Path, steps: int = 10, intervention: Intervention | None = None) -> Case:
    """Run ``script`` as ``__main__`` under observation, as ``whygrad run`` does, and diagnose it.

    A script whose first line is ``# whygrad run --overfit`` is run like that; one that begins with ``# whygrad.check``
    calls it itself, and leaves what it returned in ``report``."""
    if script.read_text(encoding="utf-8").startswith("# whygrad.check\n"):
        return _checked(script)
    if intervention is None and script.read_text(encoding="utf-8").startswith("# whygrad run --overfit\n"):
        steps, intervention = 200, Intervention("overfit", "the first batch at every pass")
    session = Session(script.name, (), steps, lambda: None, lambda trace: None, intervention)
    printed = io.StringIO()
    with everything_restored(), in_folder(script.parent), contextlib.redirect_stdout(printed):
        program = prepare(Target("script", script.name))
        with ThreadPoolExecutor(1) as thread:
            thread.submit(session.attach).result()
            error = thread.submit(program).exception()
            thread.submit(session.detach).result()
        ended = "steps" if session.closed else "end" if error is None else "raised"
        error = None if isinstance(error, WindowClosed) or session.closed else error
        trace = session.trace(ended, error, int(error is not None), 0.0)
        report = diagnose(trace)
    return Case(Graph(trace), report, printed.getvalue(), error)


def _checked(script: Path) -> Case:
    printed = io.StringIO()
    with everything_restored(), in_folder(script.parent), contextlib.redirect_stdout(printed):
        program = prepare(Target("script", script.name))
        with ThreadPoolExecutor(1) as thread:
            error = thread.submit(program).exception()
        if error is not None:
            raise error
        report = vars(sys.modules["__main__"])["report"]
    trace = Trace(script.name, (), {}, "end", 0.0, problems=report.incomplete)
    return Case(Graph(trace), report, printed.getvalue(), None)


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def marked_lines(script: Path, mark: str = "# <- cause") -> set[int]:
    """Numbers of the lines that carry ``mark``."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if mark in line}


@contextlib.contextmanager
def everything_restored() -> Iterator[None]:
    """Put back what a script may change for the whole process."""
    modules, argv, path = dict(sys.modules), list(sys.argv), list(sys.path)
    environment = dict(os.environ)
    random_state, torch_state = random.getstate(), torch.get_rng_state()
    dtype, device = torch.get_default_dtype(), torch.get_default_device()
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_default_dtype(dtype)
        if torch.get_default_device() != device:
            torch.set_default_device(device)
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)
        torch.autograd.set_detect_anomaly(False)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
        random.setstate(random_state)
        torch.set_rng_state(torch_state)
        sys.argv[:], sys.path[:] = argv, path
        os.environ.clear()
        os.environ.update(environment)
        sys.modules["__main__"] = modules["__main__"]
