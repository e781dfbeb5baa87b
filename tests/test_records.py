"""Records: where they lie, how many are kept, and that they are never the reason that something fails."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from whygrad.errors import UsageError
from whygrad.saved import records
from whygrad.trace import Trace, load

if TYPE_CHECKING:
    from conftest import Launch

EMPTY = Trace("x.py", (), {}, "end", 0.0, *(((),) * 10))


def test_names_say_when_what_where_and_who() -> None:
    path = records.new_path("some folder/my train-it.py", "/a")
    assert path.parent == records.folder()
    stamp, name, _, pid = path.name.removesuffix(records.SUFFIX).split("-")
    assert len(stamp) == len("20261130T170501.123456")
    assert (name, pid) == ("my_train_it", str(os.getpid()))
    assert records.is_from(path, "/a")
    assert not records.is_from(path, "/b")
    assert records.new_path("日本.py", "/a").name.split("-")[1] == "script"


def test_the_folder_is_the_users_state_or_as_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert records.folder() == Path(os.environ["WHYGRAD_STATE_DIR"]) / "records"
    monkeypatch.delenv("WHYGRAD_STATE_DIR")
    assert records.folder().parts[-2:] == ("whygrad", "records")
    monkeypatch.setenv("WHYGRAD_STATE_DIR", "relative")
    assert records.folder().is_absolute()


def test_the_last_one_here_else_the_last_one() -> None:
    with pytest.raises(UsageError, match="no record yet"):
        records.last("/a")
    paths = []
    for cwd in ("/a", "/a", "/b"):
        paths.append(records.new_path("x.py", cwd))
        records.Keeper(paths[-1]).save(EMPTY)
    assert records.last("/a") == paths[1]
    assert records.last("/b") == paths[2]
    assert records.last("/c") == paths[2]


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number:03}{records.SUFFIX}").touch()
    (tmp_path / "notes.txt").touch()
    old, new = (tmp_path / f".{n}{records.SUFFIX}.99" for n in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (time.time() - 7200,) * 2)
    records.prune(tmp_path)
    assert len(list(tmp_path.glob(f"*{records.SUFFIX}"))) == 20
    assert not (tmp_path / f"004{records.SUFFIX}").exists()
    assert (tmp_path / f"005{records.SUFFIX}").exists()
    assert (tmp_path / "notes.txt").exists()
    assert (old.exists(), new.exists()) == (False, True)


def test_a_keeper_never_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    keeper = records.Keeper(tmp_path / "file" / f"x{records.SUFFIX}")
    keeper.checkpoint(EMPTY)
    assert keeper.problem.startswith("The record could not be written to")
    assert keeper.written is None
    keeper = records.Keeper(tmp_path / f"x{records.SUFFIX}")
    keeper.save(object())  # type: ignore[arg-type]
    assert keeper.problem
    keeper.save(EMPTY)
    assert keeper.problem == ""
    assert keeper.written is not None
    assert load(keeper.written) == EMPTY
    records.Keeper(None).save(EMPTY)


def test_a_failed_checkpoint_is_tried_once_more_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    monkeypatch.setattr(records, "save", lambda *_: tries.append(1) or 1 / 0)
    keeper = records.Keeper(tmp_path / "x")
    for _ in range(5):
        keeper.checkpoint(EMPTY)
    keeper.save(EMPTY)
    assert len(tries) == 2


def test_a_forked_child_leaves_the_record_to_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = records.Keeper(tmp_path / f"x{records.SUFFIX}")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    keeper.checkpoint(EMPTY)
    assert keeper.written is None


def test_every_run_leaves_a_record_unless_told_not_to(launch: Launch) -> None:
    launch.write({"x.py": "import torch\ntorch.step()"})
    launch.whygrad("run", "x.py")
    (record,) = records.folder().iterdir()
    trace = load(record)
    assert (trace.script, trace.ended, trace.cwd) == ("x.py", "end", str(launch.folder))
    launch.whygrad("run", "--no-record", "x.py")
    assert [record] == list(records.folder().iterdir())


def test_a_killed_script_leaves_what_was_seen(launch: Launch) -> None:
    launch.write({"x.py": "import os, torch\ntorch.step()\ntorch.step()\nos.kill(os.getpid(), 9)"})
    done = launch.whygrad("run", "x.py")
    assert (done.returncode, done.stderr) == (-9, "")
    trace = load(records.last(str(launch.folder)))
    assert (trace.ended, trace.optimizers[0].steps) == ("running", 2)


def test_a_read_only_place_costs_one_sentence(launch: Launch) -> None:
    launch.write({"x.py": "import torch\ntorch.step()\ntorch.step()", "state": "a file, not a folder"})
    done = launch.whygrad("run", "x.py", WHYGRAD_STATE_DIR=str(launch.folder / "state"))
    assert done.returncode == 0
    assert done.stderr.count("\nwhygrad: ") == 1
    assert "\nwhygrad: The record could not be written to" in done.stderr
    assert done.stderr.startswith("TRAINS"), "the report is there"
