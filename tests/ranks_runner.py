"""Runs training scripts on several gloo ranks under observation, and diagnoses what came of them together.

Two processes are started once; both run every script, each time in a new process group. A script that leaves one of them
waiting costs a bounded time: the pair is ended and a new one started for the next script.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from whygrad.diagnose import diagnose
from whygrad.finding import Finding, Report
from whygrad.trace import Trace, load, merge

TESTS = Path(__file__).resolve().parent
SECONDS = 60.0  #: for one script
_STRAGGLER = 4.0  #: for the others, once the first rank is through


@dataclass(frozen=True)
class Ranks:
    """What came of a script: the joined trace, its report, and what each rank raised."""

    trace: Trace
    report: Report
    errors: tuple[str, ...]

    @property
    def loud(self) -> tuple[Finding, ...]:
        """Errors and warnings, most important first."""
        return self.report.loud()

    def said(self) -> str:
        """All of it as text, for the message of a failed assertion."""
        found = [
            f"{f.severity} {f.rule} {f.ranks}: {f.title} {[(c.line, c.role) for c in f.causes]} {f.parameters}"
            f" {f.evidence}"
            for f in self.report.findings
        ]
        return "\n".join([self.report.verdict, *found, *self.report.incomplete, *filter(None, self.errors)])


class Pool:
    """``world`` processes that are there for one script after the other. A context manager: they end with it."""

    def __init__(self, folder: Path, world: int = 2) -> None:
        self.folder, self.world = folder, world
        self._processes: list[subprocess.Popen[str]] = []
        self._count = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def run(self, script: Path, steps: int = 10) -> Ranks:
        """Run one script on all ranks, and diagnose what was observed."""
        records = [self.folder / f"{self._count}-{rank}.whygrad" for rank in range(self.world)]
        answers = self._ask(script, records, steps)
        trace = merge(_ended([load(record) for record in records if record.exists()]), self.world)
        stopped = {one.rank for one in trace.ranks if one.ended == "stopped"}
        said = [answer["error"] if answer else "did not come to an end" for answer in answers]
        errors = tuple(["" if rank in stopped else error for rank, error in enumerate(said)])
        return Ranks(trace, diagnose(trace), errors)

    def computed(self, script: Path, observed: bool) -> list[str]:
        """A checksum of what each rank computes when the script runs to its end."""
        records = [self.folder / f"computed-{rank}.whygrad" for rank in range(self.world)]
        answers = self._ask(script, records, 10_000 if observed else 0)
        return [answer["computed"] if answer else "" for answer in answers]

    def _ask(self, script: Path, records: list[Path], steps: int) -> list[dict[str, Any] | None]:
        """Let all ranks run a script, each with its record; not observed for 0 ``steps``."""
        if not self._processes:
            self._start()
        self._count += 1
        port = _free_port()
        for rank, process in enumerate(self._processes):
            assert process.stdin is not None
            environment = {
                "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(self.world),
                "LOCAL_WORLD_SIZE": str(self.world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
            }  # fmt: skip
            asked = {"script": str(script), "record": str(records[rank]), "environment": environment}
            process.stdin.write(json.dumps({**asked, "steps": steps, "observed": steps > 0}) + "\n")
            process.stdin.flush()
        return self._answers()

    def _start(self) -> None:
        environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
        self._processes = [
            subprocess.Popen(
                [sys.executable, str(TESTS / "ranks_worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
            for _ in range(self.world)
        ]

    def _answers(self) -> list[dict[str, Any] | None]:
        """One of each rank; those that are late end the pool."""
        found: list[dict[str, Any] | None] = [None] * self.world
        until = time.monotonic() + SECONDS
        with selectors.DefaultSelector() as waiting:
            for rank, process in enumerate(self._processes):
                assert process.stdout is not None
                waiting.register(process.stdout, selectors.EVENT_READ, rank)
            while waiting.get_map():
                ready = waiting.select(max(0.0, until - time.monotonic()))
                if not ready:
                    self._end()
                    break
                for key, _ in ready:
                    line = key.fileobj.readline()  # type: ignore[union-attr]
                    found[key.data] = json.loads(line) if line else None
                    waiting.unregister(key.fileobj)
                    until = min(until, time.monotonic() + _STRAGGLER)
        if None in found:
            self._end()
        return found

    def _end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.communicate()
        self._processes = []


def _ended(traces: list[Trace]) -> list[Trace]:
    """As the launcher has it: a rank that lost the others because they have seen enough was stopped."""
    if not any(trace.ended == "steps" for trace in traces):
        return traces
    return [
        msgspec.structs.replace(trace, ended="stopped", raised=None)
        if trace.ended == "running" or (trace.raised and "closed by peer" in trace.raised.message)
        else trace
        for trace in traces
    ]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
