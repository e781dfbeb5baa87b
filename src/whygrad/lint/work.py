"""Checks many files, on all processors. The order of the results is that of the files; nothing is kept but the results."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from whygrad.lint.checking import Check, Checked, check_source, checks, read_bytes, to_source
from whygrad.lint.files import shown
from whygrad.lint.fixing import mended
from whygrad.lint.project import Project
from whygrad.lint.rewriting import rewritten
from whygrad.lint.source import SourceError

_CHUNK = 32
_ALONE = 24  #: so few files are checked sooner than other processes are started


class Done(msgspec.Struct, frozen=True):
    """What came of one file. With ``--fix`` or ``--diff`` also what it was and what it becomes, if that differs."""

    path: Path
    checked: Checked
    before: bytes = b""
    after: bytes = b""
    fixes: int = 0
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Task:
    """How files are to be checked. ``folder`` is the one that their names in the report start from; ``fix``: whether to
    mend them, ``unsafe``: also by fixes that may change more than the fault, ``notes``: also those for notes, ``look``: what is
    found is told as it is before they are mended."""

    folder: Path
    rules: tuple[str, ...]
    fix: bool = False
    unsafe: bool = False
    notes: bool = False
    look: bool = False


@dataclass
class Worker:
    """Checks files one after the other, in one process."""

    task: Task
    checks: dict[str, Check] = field(init=False)
    project: Project = field(default_factory=Project)

    def __post_init__(self) -> None:
        self.checks = checks(self.task.rules)

    def __call__(self, path: Path) -> Done:
        """Check one file. Never raises because of what it holds."""
        name = shown(path, self.task.folder)
        try:
            data = read_bytes(path)
            source = to_source(path, data)
            checked = check_source(path, name, source, self.checks, self.project)
            if not self.task.fix or not any(finding.edits for finding in checked.findings):
                return Done(path, checked)
            return self._mended(path, name, data, checked)
        except SourceError as error:
            return Done(path, Checked(name, problem=str(error)))
        except RecursionError:
            return Done(path, Checked(name, problem="it is nested too deeply to be checked"))

    def _mended(self, path: Path, name: str, data: bytes, checked: Checked) -> Done:
        source = to_source(path, data)
        try:
            after, count = mended(path, source, self.checks, self.project, self.task.unsafe, self.task.notes)
            if not count:
                return Done(path, checked)
            new = rewritten(path, data, source, after)
        except SourceError as error:
            return Done(
                path, msgspec.structs.replace(checked, failures=(*checked.failures, f"not mended: {error}"))
            )
        if not self.task.look:
            checked = check_source(path, name, to_source(path, new), self.checks, self.project)
        return Done(path, checked, data, new, count, source.encoding)


def work(files: Sequence[Path], task: Task, processes: int | None = None) -> Iterator[Done]:
    """Check the files, in their order. ``processes``: at most so many (by default one for each processor)."""
    count = min(processes or _processors(), -(-len(files) // (_ALONE if processes is None else _CHUNK)))
    if count <= 1 or (processes is None and len(files) <= _ALONE):
        worker = Worker(task)
        for path in files:
            with _uncollected():
                one = worker(path)
            yield one
        return
    size = min(_CHUNK, -(-len(files) // (2 * count)))  # so many that no process is left waiting for another
    chunks = [files[start : start + size] for start in range(0, len(files), size)]
    while chunks:
        finished = 0
        try:
            for done in _in_pool(chunks, task, count):
                yield from done
                finished += 1
            return
        except BrokenProcessPool:
            # a file took the process with it: look for it among those of this chunk, then go on
            yield from _one_by_one(chunks[finished], task)
            chunks = chunks[finished + 1 :]


def _in_pool(chunks: Sequence[Sequence[Path]], task: Task, count: int) -> Iterator[list[Done]]:
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        waiting: deque[Future[list[Done]]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_check, task, chunk))
                if len(waiting) > 4 * count:  # bounded, so that results don't pile up
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _one_by_one(chunk: Sequence[Path], task: Task) -> Iterator[Done]:
    for path in chunk:
        try:
            for done in _in_pool([[path]], task, 1):
                yield from done
        except BrokenProcessPool:
            name = shown(path, task.folder)
            yield Done(path, Checked(name, problem="the process that checked it ended; it is left out"))


def _processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check(task: Task, paths: Sequence[Path]) -> list[Done]:
    worker = Worker(task)
    with _uncollected():
        done = [worker(path) for path in paths]
    gc.collect()
    return done


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: it would go through all nodes of all trees again and again, a third of the time, and find
    nothing, for what one file took is free when it is checked."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
