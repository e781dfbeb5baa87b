"""Several ranks, started by ``whygrad run --nproc-per-node`` and by torchrun: one report, and none that waits for ever.

Each launch costs seconds, so it answers several questions. Every process is bounded in time: whoever starts ranks ends
them, and ranks whose starter is gone end themselves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

PROGRAMS = Path(__file__).resolve().parent / "programs_ranks"
SOURCES = Path(__file__).resolve().parent.parent / "src"
SECONDS = 240.0
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node")


@dataclass(frozen=True)
class Ended:
    """What came of a launch."""

    status: int
    out: str
    err: str
    report: dict[str, Any]
    left: list[str]


def python(folder: Path, *args: str) -> Ended:
    """``python ARGS`` in ``folder``, with a place for the report and for temporary files. ``REPORT`` names the former."""
    report, temporary = folder / "report.json", folder / "tmp"
    temporary.mkdir()
    environment = {
        **os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1", "TMPDIR": str(temporary),
        "WHYGRAD_STATE_DIR": str(folder / "state"),
    }  # fmt: skip
    words = [str(report) if word == "REPORT" else word for word in args]
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=PROGRAMS,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=30)
            raise
    found = json.loads(report.read_text()) if report.exists() else {}
    return Ended(process.returncode, out, err, found, [p.name for p in temporary.glob("whygrad*")])


def whygrad(folder: Path, ranks: int, script: str, *args: str, options: tuple[str, ...] = ()) -> Ended:
    """``whygrad run --nproc-per-node RANKS SCRIPT ARGS`` with a report in JSON."""
    own = ("run", "--nproc-per-node", str(ranks), "--format", "json", "--output", "REPORT", *options)
    return python(folder, "-m", "whygrad", *own, script, *args)


def line(script: str, mark: str) -> int:
    """The line with this comment."""
    lines = (PROGRAMS / script).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.endswith(f"# <- {mark}"))


def findings(ended: Ended) -> list[dict[str, Any]]:
    """Errors and warnings."""
    return [f for f in ended.report["findings"] if f["severity"] != "note"]


# -- four ranks that train ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return whygrad(tmp_path_factory.mktemp("observed"), 4, "several_kinds.py", options=("--steps", "1000"))


def test_every_rank_computes_the_same_bit_for_bit(observed: Ended, tmp_path: Path) -> None:
    plain = python(tmp_path, *TORCHRUN, "4", "several_kinds.py")
    assert plain.status == 0, plain.err
    assert observed.status == 0, observed.err
    assert len(set(plain.out.splitlines())) == 4
    assert sorted(observed.out.splitlines()) == sorted(plain.out.splitlines())


def test_the_joined_report_of_healthy_ranks_is_clean(observed: Ended) -> None:
    report = observed.report
    assert report["verdict"] == "trains", observed.err
    assert findings(observed) == []
    assert report["incomplete"] == []
    assert report["environment"]["world_size"] == 4
    assert "rank" not in report["environment"]


def test_replicated_and_sharded_parameters_have_their_names_and_whole_shapes(observed: Ended) -> None:
    rows = [(row["fqn"], row["shape"], row["verdict"]) for row in observed.report["parameters"]]
    replicated = [("0.weight", [16, 8]), ("0.bias", [16]), ("1.weight", [16]), ("1.bias", [16])]
    replicated += [("3.weight", [4, 16]), ("3.bias", [4])]
    sharded = [("first.weight", [16, 8]), ("first.bias", [16]), ("norm.weight", [16]), ("norm.bias", [16])]
    sharded += [("last.weight", [4, 16]), ("last.bias", [4])]
    parallel = [("0.weight", [16, 8]), ("0.bias", [16]), ("2.weight", [4, 16]), ("2.bias", [4])]
    assert {verdict for _, _, verdict in rows} == {"trains"}
    names = [(name.removeprefix("replicated.").removeprefix("parallel."), shape) for name, shape, _ in rows]
    assert sorted(names) == sorted([*replicated, *sharded, *parallel])


def test_a_run_leaves_no_file(observed: Ended) -> None:
    assert observed.left == []


# -- ranks that wait for each other ------------------------------------------------------------------


def test_a_hang_is_told_with_the_place_of_every_rank(tmp_path: Path) -> None:
    ended = whygrad(tmp_path, 2, "waits.py", "", options=("--hang-timeout", "2"))
    assert ended.status == 1, ended.err
    zero, one = line("waits.py", "rank 0 waits here"), line("waits.py", "rank 1 waits here")
    (cause,) = findings(ended)
    assert {site["line"] for site in cause["causes"]} == {zero, one}
    seen = [cause["evidence"][f"rank {rank}"] for rank in (0, 1)]
    assert seen[0].startswith(f"waits in backward at waits.py:{zero} for ")
    assert seen[1].startswith(f"waits in barrier at waits.py:{one} for ")
    assert {text.partition("; ")[2] for text in seen} == {"4 steps, 4 backward passes"}
    (plain,) = [f for f in ended.report["findings"] if f["rule"] == "ranks-wait-for-each-other"]
    assert plain["title"] == (
        f"rank 0 waits in backward at waits.py:{zero}; rank 1 waits in barrier at waits.py:{one}"
    )
    assert [site["role"] for site in plain["causes"]] == ["rank 0 waits here", "rank 1 waits here"]
    assert plain["ranks"] == [0, 1]
    assert ended.report["steps"] == 4
    assert ended.left == []


def test_a_rank_whose_window_closes_first_does_not_hang_the_others(tmp_path: Path) -> None:
    ended = whygrad(tmp_path, 2, "waits.py", "more-steps", options=("--hang-timeout", "30", "--steps", "12"))
    assert ended.status == 0, ended.err
    assert findings(ended) == []
    assert ended.report["verdict"] == "trains", ended.report["incomplete"]


def test_a_killed_rank_is_told_and_what_it_left_is_used(tmp_path: Path) -> None:
    ended = whygrad(tmp_path, 2, "waits.py", "killed")
    assert ended.status in (1, 128 + signal.SIGKILL), ended.err  # rank 0 may have raised before it was ended
    sentence = "Rank 1 was killed (SIGKILL): what is told of it was seen up to its step 2"
    assert sentence in ended.report["incomplete"]
    assert {row["verdict"] for row in ended.report["parameters"]} == {"trains"}
    assert ended.left == []


# -- torchrun ----------------------------------------------------------------------------------------


def test_under_torchrun_rank_0_tells_of_all_and_a_fault_keeps_its_traceback(tmp_path: Path) -> None:
    own = ("-m", "whygrad", "run", "--format", "json", "--output", "REPORT", "waits.py", "raises")
    ended = python(tmp_path, *TORCHRUN, "2", *own)
    assert ended.status == 1
    assert ended.err.count("ValueError: a fault of rank 1's own") == 1
    assert ended.err.count("the report is in") == 1
    assert ended.report["raised"] == "rank 1: ValueError: a fault of rank 1's own"
    assert ended.report["ended"] == "raised"
    assert ended.report["environment"]["world_size"] == 2
    assert [f for f in findings(ended) if f["rule"] == "ranks-wait-for-each-other"] == []


# -- one finding of all ranks, and its proof -----------------------------------------------------------


def test_the_same_cause_on_all_ranks_is_one_finding_and_is_proved_on_them(tmp_path: Path) -> None:
    ended = whygrad(tmp_path, 2, "cut.py", options=("--prove",))
    assert ended.status == 1, ended.err
    (finding,) = findings(ended)
    assert finding["rule"] == "detached-path"
    assert finding["causes"][0]["line"] == line("cut.py", "cause")
    assert finding["parameters"] == ["encoder.weight", "encoder.bias"]
    assert finding["ranks"] == [0, 1]
    assert finding["proof"]["state"] == "proved", finding["proof"]
    assert ended.left == []
    kept = list((tmp_path / "state" / "records").iterdir())
    assert len(kept) == 1  # the ranks leave none of their own


# -- nothing is left behind ----------------------------------------------------------------------------


def alive(pid: int) -> bool:
    """Whether a process runs (one that is dead and not waited for does not)."""
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def test_ranks_end_with_the_process_that_started_them() -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(300)"
    command = [sys.executable, "-m", "whygrad", "run", "--nproc-per-node", "2", "-c", code]
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen(
            command, stdout=out, env={**os.environ, "PYTHONPATH": str(SOURCES)}, stderr=subprocess.DEVNULL
        ) as process,
    ):
        until = time.monotonic() + 60
        pids: list[int] = []
        while len(pids) < 2 and time.monotonic() < until:
            time.sleep(0.1)
            out.seek(0)
            pids = [int(word) for word in out.read().split()]
        process.kill()
    try:
        assert len(pids) == 2
        while any(map(alive, pids)) and time.monotonic() < until:
            time.sleep(0.1)
        assert not any(map(alive, pids))
    finally:
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--nproc-per-node", "0", "x.py"], "--nproc-per-node is 0: there would be no rank"),
        (["--nproc-per-node", "2", "there_is_none.py"], "There is no file 'there_is_none.py'"),
        (["--nproc-per-node", "2", "--hang-timeout", "0", "cut.py"], "--hang-timeout is 0"),
    ],
)
def test_what_cannot_be_launched_is_said_once_and_before(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from whygrad.cli import main

    monkeypatch.chdir(PROGRAMS)
    assert main(["run", *options]) == 2
    assert capsys.readouterr().err.count(sentence) == 1


def test_a_proof_under_torchrun_is_refused_by_rank_0_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from whygrad.cli import main

    monkeypatch.chdir(PROGRAMS)
    told = {"WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "x", "TORCHELASTIC_USE_AGENT_STORE": "True"}
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    said = []
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        assert main(["run", "--prove", "cut.py"]) == 2
        said.append(capsys.readouterr().err)
    assert "whygrad run --nproc-per-node K --prove" in said[0]
    assert said[1] == ""
