"""``whygrad run --nproc-per-node K``: starts K ranks with torch's own launcher, each under observation, and joins them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec

from whygrad.home import IMPORTABLE
from whygrad.ranks.gathering import gather
from whygrad.ranks.job import Folder, Messages
from whygrad.ranks.member import FOLDER
from whygrad.running.program import Target
from whygrad.trace import Trace

_FAILURES = "failures"  #: see ``observe.launcher``
_END = 15.0  #: seconds for the ranks to end once the report needs nothing more of them


@dataclass(frozen=True)
class Joined:
    """What came of the ranks. ``trace``: of all of them, None if none left any. ``status``: 0, or that of the first rank
    whose script failed. ``refused``: why the script could not be run at all. ``late``: the time was over."""

    trace: Trace | None
    status: int
    refused: str = ""
    late: bool = False


class Ranks:
    """The ranks of one job. A context manager: whatever happens, no process and no file is left."""

    def __init__(self, target: Target, count: int, options: Sequence[str], quiet: bool = False) -> None:
        self._count = count
        self._folder = Path(tempfile.mkdtemp(prefix="whygrad-job-"))
        self._messages = Messages(Folder(self._folder))
        lifeline, self._other_end = os.pipe()
        flag = {"module": ["-m"], "code": ["-c"]}.get(target.kind, [])
        command = ["run", *options, *flag, target.name, *target.args]
        launcher = [sys.executable, "-m", "whygrad.observe.launcher", str(self._folder), str(count)]
        nowhere = subprocess.DEVNULL if quiet else None
        self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  # the script that the user gave
            [*launcher, str(lifeline), *command],
            env=self._environment(),
            pass_fds=(lifeline,),
            start_new_session=True,  # ctrl-c is ours: the ranks are ended in order
            stdout=nowhere,
            stderr=nowhere,
        )
        os.close(lifeline)

    def _environment(self) -> dict[str, str]:
        """The ranks must find the same whygrad, however it was found here."""
        paths = [path for path in (os.environ.get("PYTHONPATH", ""), IMPORTABLE) if path]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), FOLDER: str(self._folder)}

    def __enter__(self) -> Ranks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait(self, seconds: float | None = None) -> Joined:
        """Wait for the ranks, at most so many seconds, and join what they have seen."""
        until = None if seconds is None else time.monotonic() + seconds
        late = False

        def going() -> bool:
            nonlocal late
            late = until is not None and time.monotonic() > until
            return self._process.poll() is None and not late

        trace = gather(self._messages, self._count, {}, going, self._reasons)
        self._messages.say_joined()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if late else _END)
        refused = next(filter(None, map(self._messages.refusal, range(self._count))), "")
        return Joined(trace, self._status(trace), refused, late)

    def interrupt(self) -> Joined:
        """The user has had enough: join what there is."""
        trace = gather(self._messages, self._count, {}, lambda: False, self._reasons)
        return Joined(trace, 130)

    def _failures(self) -> dict[int, int]:
        """The exit codes of the ranks that failed; negative: killed by a signal."""
        try:
            codes = msgspec.json.decode((self._folder / _FAILURES).read_bytes(), type=dict[str, int])
        except (OSError, msgspec.MsgspecError):
            return {}
        return {int(rank): code for rank, code in codes.items()}

    def _reasons(self) -> Mapping[int, str]:
        """What is known of ranks that did not come to their end."""
        reasons = dict.fromkeys(range(self._count), "was ended with the others")
        return reasons | {r: _how(code) for r, code in self._failures().items() if code != -signal.SIGTERM}

    def _status(self, trace: Trace | None) -> int:
        own = [one.exit_status for one in (trace.ranks if trace is not None else ()) if one.exit_status]
        if own:
            return own[0]
        codes = [code for code in self._failures().values() if code != -signal.SIGTERM]
        return (codes[0] if codes[0] > 0 else 128 - codes[0]) if codes else 0

    def _end(self) -> None:
        """End what still runs: the launcher ends its ranks, and what it leaves is ended one by one."""
        os.close(self._other_end)
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            for rank in range(self._count):
                state = self._messages.state(rank)
                if state is not None:
                    with contextlib.suppress(OSError):
                        os.kill(state.pid, signal.SIGKILL)


def _how(code: int) -> str:
    """How a process ended, as a clause."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"was killed ({signal.Signals(-code).name})"
    return f"ended with exit status {code}"
