"""Runs a script twice in the process of the tests, alone and under observation, and takes the prints of both runs.

A print is everything that a script could tell of its run: losses, parameters, gradients, optimizer states, random
states, output, warnings, the error. Two runs are alike if all of it is, bit for bit.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cases_runner import everything_restored, in_folder

from whygrad.diagnose import diagnose
from whygrad.finding import Report
from whygrad.observe.session import Session
from whygrad.running.program import Target, prepare
from whygrad.trace import Trace

WHOLE = 10**6  #: more steps than any script takes: it is observed to its end

Print = dict[str, str]
_OUTER_FRAMES = re.compile(
    r'  File "[^"]*threading.py".*?program.py", line \d+, in _execute\n.*?\n', re.DOTALL
)


@dataclass(frozen=True)
class Twins:
    """The prints of both runs, and what was seen in the observed one."""

    script: Path
    alone: Print
    observed: Print
    trace: Trace
    report: Report

    def differences(self) -> list[str]:
        """Where the runs differ, one line each."""
        names = sorted(self.alone.keys() | self.observed.keys())
        pairs = [(name, self.alone.get(name), self.observed.get(name)) for name in names]
        return [f"{name}: {alone!r} alone, {seen!r} observed" for name, alone, seen in pairs if alone != seen]

    def said(self) -> str:
        """What whygrad says of the observed run, for the message of a failed assertion."""
        findings = [
            f"{f.severity} {f.rule}: {f.title} {[(c.line, c.role) for c in f.causes]} {f.parameters}"
            for f in self.report.findings
        ]
        return "\n".join([*findings, *self.report.incomplete, self.observed["error"]])


def run_twice(script: Path, steps: int = WHOLE) -> Twins:
    """Run ``script`` alone, then under observation, from the same random states."""
    alone = _print_of(script, lambda thread: contextlib.nullcontext())
    session = Session(script.name, (), steps, lambda: None, lambda trace: None)

    @contextlib.contextmanager
    def watched(thread: ThreadPoolExecutor) -> Iterator[None]:
        thread.submit(session.attach).result()
        try:
            yield
        finally:
            thread.submit(session.detach).result()

    observed = _print_of(script, watched)
    trace = session.trace("steps" if session.closed else "end", None, 0, 0.0)
    return Twins(script, alone, observed, trace, diagnose(trace))


def _print_of(script: Path, around: Callable[[ThreadPoolExecutor], Any]) -> Print:
    out, err = io.StringIO(), io.StringIO()
    with (
        everything_restored(),
        in_folder(script.parent),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(record=True) as warned,
        ThreadPoolExecutor(1) as thread,
    ):
        warnings.simplefilter("always")
        # torch's own, at the first use of one of its parts
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.set_warn_always(True)
        torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        with around(thread):
            error = thread.submit(prepare(Target("script", script.name))).exception()
        print_ = {
            "error": _text(error),
            "stdout": out.getvalue(),
            "stderr": err.getvalue(),
            "warnings": "\n".join(_warning(w) for w in warned),
            "torch's random state": _digest(torch.get_rng_state()),
            "numpy's random state": _digest(np.random.get_state()),
            "Python's random state": _digest(random.getstate()),
        }
        # in the script's thread, which ends: operations on DTensors leave process groups behind in theirs (see threads)
        print_ |= thread.submit(_variables).result()
        torch.set_warn_always(False)
    return print_


def _variables() -> Print:
    """What the script's variables are at its end."""
    variables = vars(sys.modules["__main__"])
    return {f"variable {n}": _digest(v) for n, v in variables.items() if not n.startswith("__")}


def _text(error: BaseException | None) -> str:
    return "" if error is None else f"{type(error).__name__}: {error}"


def _warning(warned: warnings.WarningMessage) -> str:
    # the stack that anomaly detection quotes begins with the tests' own frames
    text = _OUTER_FRAMES.sub("", str(warned.message))
    return f"{warned.filename}:{warned.lineno}: {warned.category.__name__}: {text}"


def _digest(value: object) -> str:
    digest = hashlib.sha256()
    _feed(digest, value, {})
    return digest.hexdigest()[:16]


def _feed(digest: Any, value: Any, seen: dict[int, Any]) -> None:
    """Add all numbers and tensors that can be reached from ``value``, in order."""
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        digest.update(repr(value).encode())
        return
    if id(value) in seen:
        return
    seen[id(value)] = value  # kept, so that no other object gets its id
    if isinstance(value, torch.Tensor):
        _feed_tensor(digest, value, seen)
    elif isinstance(value, np.ndarray):
        digest.update(value.tobytes())
    elif isinstance(value, (list, tuple)):
        for one in value:
            _feed(digest, one, seen)
    elif isinstance(value, dict):
        for key, one in value.items():
            _feed(digest, key, seen)
            _feed(digest, one, seen)
    elif isinstance(value, torch.nn.Module):
        # not its hooks, whose numbers come from a counter of the whole process
        names = [n for n in vars(value) if "hook" not in n and not n.startswith("_torchdynamo")]
        _feed(digest, {n: vars(value)[n] for n in names}, seen)
    elif isinstance(value, torch.optim.Optimizer):
        _feed(digest, value.param_groups, seen)
        _feed(digest, list(getattr(value, "state", {}).values()), seen)
    elif type(value).__module__ == "__main__":
        _feed(digest, getattr(value, "__dict__", None), seen)


def _feed_tensor(digest: Any, tensor: torch.Tensor, seen: dict[int, Any]) -> None:
    digest.update(repr((tensor.dtype, tensor.requires_grad, tensor.is_leaf)).encode())
    with torch._C.DisableTorchFunctionSubclass():
        data = tensor.detach()
        if type(data).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ and not data.is_nested:
            _feed(digest, vars(tensor), seen)
            return
        if data.layout is torch.sparse_coo:
            data = data.coalesce()
            _feed_tensor(digest, data.indices(), seen)
        if data.layout is not torch.strided or data.is_nested:
            data = data.values()
        digest.update(repr(tuple(data.shape)).encode())
        if not data.is_meta:
            data = data.int_repr() if data.is_quantized else data.resolve_conj().resolve_neg()
            digest.update(data.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
        if tensor.is_leaf and tensor.grad is not None:
            _feed(digest, tensor.grad, seen)
