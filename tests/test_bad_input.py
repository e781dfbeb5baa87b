"""Whatever is given to the command line: one clear sentence, the right status, nothing lost."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from whygrad.saved import records
from whygrad.trace import Trace, load, save

if TYPE_CHECKING:
    from conftest import Launch

STEPS = "import torch\nfor _ in range(3):\n    torch.step()\n"
ERROR = '[{"rule": "detached-path", "severity": "error", "title": "cut"}]'
TRACE = Trace("x.py", (), {}, "end", 0.0, *(((),) * 10))
needs_rules = pytest.mark.skipif(importlib.util.find_spec("whygrad.graph") is None, reason="not there yet")


def sentence(launch: Launch, *args: str, status: int = 2, **env: str) -> str:
    """The one line that a wrong use gives."""
    done = launch.whygrad(*args, **env)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("whygrad: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["run", "trian.py"], ["'trian.py'", "did you mean 'train.py'?"]),
        (["run", "zzz"], ["'zzz'", "check its name"]),
        (["run", "no/train.py"], ["'no/train.py'", "check its name"]),
        (["run", "train.py/x"], ["'train.py/x'", "not a directory"]),
        (["run", ""], ["cannot be run"]),
        (["run", "folder"], ["'folder'", "a folder without a __main__.py", "give the script"]),
        (["run", "empty.zip"], ["'empty.zip'", "no __main__.py"]),
        (["run", "loop"], ["'loop'", "cannot be read"]),
        (["run", "-"], ["'-'", "save the script to a file"]),
        (["run", "x.ipynb"], ["'x.ipynb'", "check its name"]),
        (["run", "--steps", "0", "train.py"], ["--steps is 0", "1 or more"]),
        (["run", "--steps", "-3", "train.py"], ["--steps is -3", "1 or more"]),
        (["run", "--steps", "ten", "train.py"], ["--steps", "'ten'"]),
        (["run", "-m", "no_such_module"], ["'no_such_module'", "No module named", "Check its name"]),
        (["run", "-m", "folder"], ["'folder'", "cannot be directly executed"]),
        (["run", "-m", "quiet.py"], ["'quiet.py'", "Try using 'quiet'"]),
        (["run", "-m"], ["the module after -m"]),
        (["run", "-c"], ["the code after -c"]),
        (["run", "-m", "-c", "x"], ["-m and -c"]),
        (["run", "--stps", "3", "train.py"], ["--stps"]),
        (["run", "--format", "jsn", "train.py"], ["'jsn'", "did you mean 'json'?"]),
        (["run", "--format", "xml", "train.py"], ["'xml'", "json, sarif, terminal"]),
        (["run", "--fail-on", "always", "train.py"], ["always", "never"]),
        (["run", "--output", "no/report", "train.py"], ["'no/report'", "make it first"]),
        (["run", "--output", "folder", "train.py"], ["'folder'", "it is a folder"]),
        (["rnu", "train.py"], ["'rnu'", "did you mean 'run'?"]),
        (["train.py"], ["'train.py'", "whygrad run train.py"]),
        (["report", "no-record"], ["no-record", "No such file"]),
        (["report"], ["There is no record yet", "whygrad run train.py"]),
    ],
)  # fmt: skip
def test_wrong_use(launch: Launch, args: list[str], parts: list[str]) -> None:
    launch.write({"train.py": "print('must not run')", "quiet.py": "", "folder/__init__.py": ""})
    (launch.folder / "empty.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    (launch.folder / "loop").symlink_to("loop")
    if args[0] == "report" and importlib.util.find_spec("whygrad.graph") is None:
        pytest.skip("not there yet")
    said = sentence(launch, *args)
    for part in parts:
        assert part in said, said


@needs_rules
@pytest.mark.parametrize(
    "args", [["explain"], ["run", "--select"], ["run", "--ignore"], ["report", "--ignore"]]
)
def test_an_unknown_rule(launch: Launch, args: list[str]) -> None:
    assert "there is no rule 'zzz'; `whygrad rules` lists the rules." in sentence(launch, *args, "zzz")


def test_the_closest_rule_is_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    from whygrad import reporting
    from whygrad.errors import UsageError

    diagnose = pytest.importorskip("whygrad.diagnose")
    monkeypatch.setattr(diagnose, "load_rules", lambda: ({"detached-path": None}, {"broken-rule": "why"}))
    with pytest.raises(UsageError, match="'detachd-path'; did you mean 'detached-path'"):
        reporting.require_rule("detachd-path", "--select")
    reporting.require_rule("detached-path", "--select")
    reporting.require_rule("broken-rule", "--select")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("stps = 3", ["'stps'", "did you mean 'steps'?"]),
        ("colour = 3", ["'colour'", "the settings are steps"]),
        ("steps = 'ten'", ["steps", "'ten'", "a whole number of 1 or more"]),
        ("steps = 0", ["steps", "is 0"]),
        ("steps = true", ["steps", "True"]),
        ("select = 'detached-path'", ["select", "a list of rules"]),
        ("ignore = [1]", ["ignore", "a list of rules"]),
        ("fail-on = 'always'", ["fail-on", "'always'", '"error" or "warning" or "never"']),
        ("fail-on = ['error']", ["fail-on", "['error']"]),
        ("format = 'xml'", ["format", "'xml'"]),
        ("format = 1", ["format", "is 1"]),
        ("steps = ", ["not valid TOML"]),
        ("steps = 3\n[[tool]]", ["not valid TOML"]),
    ],
)
def test_wrong_configuration(launch: Launch, text: str, parts: list[str]) -> None:
    launch.write({"train.py": "print('must not run')", "pyproject.toml": f"[tool.whygrad]\n{text}\n"})
    said = sentence(launch, "run", "train.py")
    for part in ["pyproject.toml", *parts]:
        assert part in said


def test_configuration_of_the_wrong_kind(launch: Launch) -> None:
    launch.write({"train.py": "", "pyproject.toml": "[tool]\nwhygrad = 3\n"})
    assert "tool.whygrad is 3" in sentence(launch, "run", "train.py")
    (launch.folder / "pyproject.toml").write_bytes(b"\xff\xfe")
    assert "cannot be read" in sentence(launch, "run", "train.py")


def test_a_script_that_cannot_be_read(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    from whygrad.errors import UsageError
    from whygrad.running import program

    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    launch.write({"x.py": ""})
    monkeypatch.setattr(program.io, "open_code", refuse)
    with pytest.raises(
        UsageError, match=r"cannot be read: permission denied; give a script that you may read"
    ):
        program.prepare(program.Target("script", str(launch.folder / "x.py")))


def test_a_read_only_output(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    import click
    from click.testing import CliRunner

    from whygrad import reporting
    from whygrad.errors import UsageError

    command = click.command()(reporting.report_options(lambda **_: None))
    launch.write({"report": ""})
    # the tests may be run by root, who may write anything
    monkeypatch.setattr(reporting.os, "access", lambda *_: False)
    for name, what in {"report": "it is read-only", "new": "its folder is read-only"}.items():
        done = CliRunner().invoke(command, ["--output", str(launch.folder / name)])
        assert isinstance(done.exception, UsageError), done.output
        assert what in str(done.exception)


# --- scripts with nothing to watch -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "status", "parts"),
    [
        ("", 2, ["never imported torch", "give the script that trains"]),
        ("import torch", 2, ["no backward pass and no optimizer step"]),
        ("raise SystemExit(5)", 5, ["never imported torch"]),
    ],
)
def test_nothing_to_watch(launch: Launch, script: str, status: int, parts: list[str]) -> None:
    launch.write({"x.py": script})
    said = sentence(launch, "run", "x.py", status=status)
    assert all(part in said for part in ["x.py", *parts])


@pytest.mark.parametrize(
    ("script", "last"),
    [
        ("def f(:", "could not be compiled, so nothing was run; mend the error above"),
        ("x = 1\0", "could not be compiled"),
        ("1 / 0", "came to no backward pass"),
        ("import torch\n1 / 0", "came to no backward pass"),
        ("import sys\nsys.modules['torch'] = None\nimport torch", "torch is not installed in "),
        ("raise KeyboardInterrupt", "came to no backward pass"),
    ],
)
def test_the_scripts_own_error_comes_first(launch: Launch, script: str, last: str) -> None:
    launch.write({"x.py": script})
    done = launch.whygrad("run", "x.py")
    bare = launch.bare("script", "x.py")
    assert done.returncode == bare.returncode != 0
    own, said = done.stderr.split("whygrad: ")
    assert own == bare.stderr.replace("attached\n", "")
    assert last in said
    assert not records.folder().exists() or "import torch" in script


def test_nothing_to_watch_is_a_report_for_programs_too(launch: Launch) -> None:
    launch.write({"x.py": ""})
    done = launch.whygrad("run", "--format", "json", "--output", "report", "x.py")
    assert done.returncode == 2
    assert msgspec.json.decode((launch.folder / "report").read_bytes())["schema"] == "whygrad.report/1"


# --- whygrad's own faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["diagnose", "trace"])
def test_a_fault_of_ours_after_the_script(launch: Launch, fault: str) -> None:
    launch.write({"x.py": STEPS})
    said = sentence(launch, "run", "x.py", FAKE_FAULT=fault)
    assert "a fault in whygrad, not in the script: ValueError: played" in said
    assert "report it" in said
    assert str(records.last(str(launch.folder))) in said
    assert load(records.last(str(launch.folder))).optimizers[0].steps == 3
    assert "Traceback" in launch.whygrad("run", "x.py", FAKE_FAULT=fault, WHYGRAD_DEBUG="1").stderr


def test_a_fault_of_ours_does_not_hide_the_scripts_status(launch: Launch) -> None:
    launch.write({"x.py": STEPS + "raise SystemExit(7)"})
    assert launch.whygrad("run", "x.py", FAKE_FAULT="diagnose").returncode == 7


def test_a_fault_in_the_watchdogs_report(launch: Launch) -> None:
    launch.write(
        {"x.py": "import torch\nwhile True:\n    try:\n        torch.step()\n    except:\n        pass\n"}
    )
    done = launch.whygrad("run", "--steps", "2", "x.py", FAKE_FAULT="diagnose", FAKE_GRACE="0.3")
    assert done.returncode == 2
    assert "a fault in whygrad" in done.stderr


def test_a_fault_when_watching_begins(launch: Launch) -> None:
    launch.write({"x.py": STEPS + "print('end')"})
    done = launch.whygrad("run", "x.py", FAKE_FAULT="attach")
    assert (done.returncode, done.stdout) == (2, "end\n")
    assert done.stderr == "whygrad: Watching could not begin (ValueError: played).\n"


def test_an_output_that_becomes_unwritable(launch: Launch) -> None:
    launch.write({"x.py": "import shutil\n" + STEPS + "shutil.rmtree('out')", "out/old": ""})
    said = sentence(launch, "run", "--output", "out/report", "x.py", FAKE_FINDINGS=ERROR)
    assert "could not be written" in said
    assert "whygrad report --output" in said
    assert records.last(str(launch.folder)).exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
def test_a_full_disk(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    said = sentence(launch, "run", "--output", "/dev/full", "x.py", FAKE_FINDINGS=ERROR)
    assert "could not be written to /dev/full: no space left on device" in said
    assert records.last(str(launch.folder)).exists()


def test_a_script_that_has_closed_everything(launch: Launch) -> None:
    launch.write({"x.py": STEPS + "import os\nos.close(1)\nos.close(2)"})
    done = launch.whygrad("run", "x.py", FAKE_FINDINGS=ERROR)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    assert records.last(str(launch.folder)).exists()


def test_a_folder_that_is_gone(launch: Launch) -> None:
    launch.folder /= "gone"
    launch.folder.mkdir()
    code = f"import os, sys; os.rmdir({str(launch.folder)!r}); from whygrad.cli import main; sys.exit(main(['run', 'x']))"
    done = launch.python("-c", code)
    assert (done.returncode, done.stderr) == (
        2,
        "whygrad: The folder you are in has been removed; go to one that exists.\n",
    )


# --- records ---------------------------------------------------------------------------------------------------------


@needs_rules
@pytest.mark.parametrize("kind", ["truncated", "newer", "foreign", "empty", "gzip", "folder"])
def test_a_record_that_is_none(launch: Launch, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a record"
    save(TRACE, path)
    whole = path.read_bytes()
    if kind == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(
            {
                "truncated": whole[: len(whole) // 2],
                "newer": gzip.compress(msgspec.msgpack.encode(("whygrad.trace", 99, None))),
                "foreign": b"hello, this is not a record",
                "empty": b"",
                "gzip": gzip.compress(b"something else"),
            }[kind]
        )
    assert str(path) in sentence(launch, "report", str(path))


@needs_rules
def test_records_in_a_place_that_is_no_folder(launch: Launch) -> None:
    launch.write({"state/records": ""})
    said = sentence(launch, "report", WHYGRAD_STATE_DIR=str(launch.folder / "state"))
    assert "cannot be read: not a directory" in said
