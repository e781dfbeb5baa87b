"""The command line: what is run, where the report goes, which status comes out."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Launch

FAKES = Path(__file__).resolve().parent / "fakes"
STEPS = """
import torch
for step in range(100):
    torch.step()
    print("step", step)
print("end")
"""
ERROR = {
    "rule": "detached-path",
    "severity": "error",
    "title": "cut",
    "causes": [{"file": "x.py", "line": 3}],
}
WARNING = {**ERROR, "severity": "warning"}
NOTE = {**ERROR, "severity": "note"}
RULES = importlib.util.find_spec("whygrad.graph") is not None
needs_rules = pytest.mark.skipif(not RULES, reason="whygrad.graph is not there yet")


def findings(*which: dict[str, object]) -> str:
    return json.dumps(which)


# --- the script, its arguments, its end ------------------------------------------------------------------------------


def test_the_script_is_ended_after_the_steps(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    done = launch.whygrad("run", "--steps", "3", "x.py")
    assert done.stdout.splitlines() == ["step 0", "step 1"]
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "WindowClosed" not in done.stderr


def test_a_script_that_ends_earlier_ends_by_itself(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    done = launch.whygrad("run", "--steps", "1000", "--format", "json", "x.py")
    assert done.stdout.splitlines()[100] == "end"
    assert json.loads(done.stdout.split("end\n")[1])["ended"] == "end"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["x.py", "--steps", "7", "-m", "--help", "--"], "['x.py', '--steps', '7', '-m', '--help', '--']"),
        (["-m", "x", "--steps", "7", "-c"], "'--steps', '7', '-c']"),
        (["-c", "import sys; print(sys.argv)", "--steps", "-c"], "['-c', '--steps', '-c']"),
        (["--steps", "2", "--", "x.py", "-h"], "['x.py', '-h']"),
        (["my script.py", "a b"], "['my script.py', 'a b']"),
    ],
)  # fmt: skip
def test_the_scripts_own_options_pass_through(launch: Launch, arguments: list[str], shown: str) -> None:
    launch.write(dict.fromkeys(["x.py", "my script.py"], "import sys; print(sys.argv)"))
    assert shown in launch.whygrad("run", *arguments).stdout


def test_standard_input_reaches_the_script(launch: Launch) -> None:
    launch.write({"x.py": "print(input() + input())"})
    assert launch.whygrad("run", "x.py", stdin="a\nb\n").stdout == "ab\n"


def test_the_script_finds_no_context_of_click(launch: Launch) -> None:
    launch.write({"x.py": "import click; print(click.get_current_context(silent=True))"})
    assert launch.whygrad("run", "x.py").stdout == "None\n"


ENDS = {
    "swallowed and over": "try:\n    main()\nexcept BaseException:\n    pass\n",
    "another error instead": "try:\n    main()\nfinally:\n    raise ValueError('in finally')\n",
    "an exit instead": "import sys\ntry:\n    main()\nexcept BaseException:\n    sys.exit(9)\n",
    "a hook of its own": "import sys\nsys.excepthook = lambda *a: print('HOOK')\nmain()\n",
    "raised again by every step": "while True:\n    try:\n        main()\n    except Exception:\n        pass\n",
    "in a thread": "import threading\nt = threading.Thread(target=main)\nt.start()\nt.join()\n",
    "in a thread left alone": "import threading\nthreading.Thread(target=main).start()\n",
    "in a pool": "from concurrent.futures import *\nThreadPoolExecutor().submit(main).result()\n",
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_the_window_is_quiet(launch: Launch, name: str) -> None:
    launch.write(
        {
            "x.py": "def main():\n    import torch\n    for step in range(9):\n        torch.step()\n"
            + ENDS[name]
        }
    )
    done = launch.whygrad("run", "--steps", "3", "--format", "json", "x.py")
    assert json.loads(done.stdout)["ended"] == "steps"
    assert (done.returncode, done.stderr) == (0, "")


HANGS = {
    "swallowed for ever": "while True:\n    try:\n        torch.step()\n    except:\n        time.sleep(0.01)\n",
    "waiting for a dead thread": """
        def train():
            while True:
                torch.step()
        threading.Thread(target=train).start()
        queue.Queue().get()
        """,
    "a thread that stays": "threading.Thread(target=time.sleep, args=(60,)).start()\nwhile True:\n    torch.step()\n",
    "a child that stays": """
        multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,)).start()
        while True:
            torch.step()
        """,
    "an exit handler that stays": "atexit.register(time.sleep, 60)\nwhile True:\n    torch.step()\n",
}


@pytest.mark.parametrize("name", HANGS)
def test_whatever_hangs_after_the_window_is_ended(launch: Launch, name: str) -> None:
    import textwrap

    head = "import atexit, multiprocessing, queue, sys, threading, time, torch\nlog = open('log', 'w')\n"
    head += "log.write('kept')\nprint('out')\n"
    launch.write({"x.py": head + textwrap.dedent(HANGS[name])})
    done = launch.whygrad("run", "--steps", "2", "x.py", FAKE_GRACE="0.5", FAKE_FINDINGS=findings(ERROR))
    assert done.stdout == "out\n"
    assert done.returncode == 1
    assert done.stderr.count("error: detached-path") == 1
    assert "Traceback" not in done.stderr
    assert (launch.folder / "log").read_text() == "kept"


def test_a_forked_child_leaves_the_report_to_its_parent(launch: Launch) -> None:
    launch.write(
        {
            "x.py": """
            import os, sys, torch
            torch.step()
            child = os.fork()
            if child:
                print(os.waitpid(child, 0)[1], flush=True)
            else:
                print("child", flush=True)
                sys.exit(3)
            """
        }
    )
    done = launch.whygrad("run", "x.py", FAKE_FINDINGS=findings(WARNING))
    assert done.stdout == f"child\n{3 << 8}\n"
    assert done.stderr.count("warning: detached-path") == 1


# --- exit status -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "fail_on", "end", "status"),
    [
        ([], None, "", 0),
        ([NOTE], "warning", "", 0),
        ([WARNING], None, "", 0),
        ([WARNING], "warning", "", 1),
        ([ERROR], None, "", 1),
        ([ERROR], "warning", "", 1),
        ([ERROR], "never", "", 0),
        ([{**ERROR, "suppressed": True}], "warning", "", 0),
        ([], None, "raise ValueError", 1),
        ([ERROR], "never", "raise ValueError", 1),
        ([], "never", "raise SystemExit(7)", 7),
        ([ERROR], None, "raise SystemExit(7)", 7),
        ([ERROR], None, "raise SystemExit(0)", 1),
        ([], None, "raise SystemExit('why')", 1),
        ([], None, "raise KeyboardInterrupt", 130),
        ([ERROR], None, "raise KeyboardInterrupt", 130),
    ],
)
def test_exit_status(
    launch: Launch, found: list[dict[str, object]], fail_on: str | None, end: str, status: int
) -> None:
    launch.write({"x.py": f"import torch\ntorch.step()\n{end}"})
    options = ["--fail-on", fail_on] if fail_on else []
    done = launch.whygrad("run", *options, "x.py", FAKE_FINDINGS=findings(*found))
    assert done.returncode == status
    assert bool([f for f in found if f in (ERROR, WARNING)]) == ("detached-path" in done.stderr)


def test_a_traceback_comes_before_the_report(launch: Launch) -> None:
    launch.write({"x.py": "import torch\ntorch.step()\ndef f():\n    1 / 0\nf()"})
    done = launch.whygrad("run", "x.py", FAKE_FINDINGS=findings(ERROR))
    plain = launch.python("x.py").stderr
    assert done.stderr.startswith(plain)
    assert "detached-path" in done.stderr[len(plain) :]


def test_an_interrupt_ends_with_the_report(launch: Launch) -> None:
    launch.write({"x.py": "import signal, time, torch\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
                          "torch.step()\nprint('ready', flush=True)\ntime.sleep(60)"})  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, str(FAKES / "whygrad_faked.py"), "run", "x.py"],
        cwd=launch.folder,
        env=launch.environment(FAKE_FINDINGS=findings(ERROR)),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert errors.index("KeyboardInterrupt") < errors.index("detached-path")


# --- where the report goes -------------------------------------------------------------------------------------------


def test_the_terminal_report_goes_to_stderr(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    done = launch.whygrad("run", "--steps", "1", "x.py", FAKE_FINDINGS=findings(ERROR))
    assert done.stdout == ""
    assert "detached-path" in done.stderr
    assert "\x1b" not in done.stderr


def test_another_format_goes_to_stdout_after_the_script(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    done = launch.whygrad("run", "--steps", "2", "--format", "json", "x.py", FAKE_FINDINGS=findings(ERROR))
    first, rest = done.stdout.split("\n", 1)
    assert first == "step 0"
    assert json.loads(rest)["findings"][0]["rule"] == "detached-path"


@pytest.mark.parametrize("format_", ["json", "terminal"])
def test_the_report_goes_to_a_file(launch: Launch, format_: str) -> None:
    # the script goes elsewhere meanwhile
    launch.write({"x.py": "import os\nos.mkdir('sub')\nos.chdir('sub')\n" + STEPS, "out/old": ""})
    done = launch.whygrad("run", "--steps", "1", "--format", format_, "--output", "out/a b", "x.py",
                          FAKE_FINDINGS=findings(ERROR, WARNING, WARNING))  # fmt: skip
    assert done.stdout == ""
    assert done.stderr == f"whygrad: 1 error and 2 warnings; the report is in {launch.folder}/out/a b.\n"
    text = (launch.folder / "out/a b").read_text()
    assert "detached-path" in text
    assert "\x1b" not in text


def test_a_terminal_gets_colour_and_progress(launch: Launch) -> None:
    launch.write(
        {"x.py": "import time, torch\nfor i in range(9):\n    torch.step()\n    time.sleep(0.4 * (i < 6))"}
    )
    shown = on_terminal(launch, "run", "--steps", "8", "x.py", FAKE_FINDINGS=findings(ERROR))
    assert "\x1b[" in shown
    assert re.search(r"^whygrad: watched step \d of 8\r?$", shown, re.MULTILINE)
    assert shown.count("watched step") <= 2


def test_progress_is_seldom() -> None:
    from whygrad.progress import Progress

    times = iter([0, 0, 1, 2, 3, 4, 5, 8, 9, 100])
    stream = io.StringIO()
    progress = Progress(stream, lambda: next(times))
    for step in range(9):
        progress(step, 8)
    assert stream.getvalue() == "".join(f"whygrad: watched step {n} of 8\n" for n in (2, 4, 6))


def test_no_color_and_forty_columns(launch: Launch) -> None:
    launch.write({"x.py": STEPS})
    finding = {**ERROR, "title": "a long title " * 10}
    shown = on_terminal(
        launch, "run", "--steps", "1", "x.py", FAKE_FINDINGS=findings(finding), NO_COLOR="1", COLUMNS="40"
    )
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 40


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poor_encoding_gets_a_report_all_the_same(launch: Launch, encoding: str) -> None:
    launch.write({"x.py": STEPS})
    finding = {**ERROR, "title": "日本 é"}
    for format_ in ("json", "terminal"):
        done = launch.python(str(FAKES / "whygrad_faked.py"), "run", "--steps", "1", "--format", format_, "x.py",
                             FAKE_FINDINGS=findings(finding), PYTHONIOENCODING=f"{encoding}:strict")  # fmt: skip
        assert done.returncode == 1
        assert "detached-path" in done.stdout + done.stderr


def on_terminal(launch: Launch, *args: str, **env: str) -> str:
    """What a terminal shows."""
    parent, child = pty.openpty()
    environment = {"TERM": "xterm", **launch.environment(**env)}
    with subprocess.Popen([sys.executable, str(FAKES / "whygrad_faked.py"), *args], cwd=launch.folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=child, stderr=child):  # fmt: skip
        os.close(child)
        shown = b""
        try:
            while block := os.read(parent, 65536):
                shown += block
        except OSError:  # the other end is closed
            pass
    os.close(parent)
    return shown.decode()


# --- configuration and suppression -----------------------------------------------------------------------------------


def test_configuration_is_found_upward_and_the_command_line_wins(launch: Launch) -> None:
    launch.write(
        {"x.py": STEPS, "pyproject.toml": "[tool.whygrad]\nsteps = 2\nfail-on = 'warning'\nformat = 'json'\n"}
    )
    launch.write({"sub/pyproject.toml": "[tool.other]\n", "sub/x.py": STEPS})
    launch.folder /= "sub"
    done = launch.whygrad("run", "x.py", FAKE_FINDINGS=findings(WARNING))
    assert done.returncode == 1
    assert json.loads(done.stdout.removeprefix("step 0\n"))["steps"] == 2
    done = launch.whygrad("run", "--steps", "3", "--fail-on", "error", "--format", "terminal", "x.py",
                          FAKE_FINDINGS=findings(WARNING))  # fmt: skip
    assert done.returncode == 0
    assert done.stdout == "step 0\nstep 1\n"


@pytest.mark.parametrize(
    ("comment", "suppressed"),
    [
        ("# whygrad: ignore", True),
        ("# whygrad: ignore[detached-path]", True),
        ("#whygrad:ignore [other-rule, detached-path]  # noqa", True),
        ("# noqa  # whygrad: ignore[detached-path]", True),
        ("# whygrad: ignore[other-rule]", False),
        ("# whygrad: ignored", False),
        ("# nothing", False),
    ],
)
def test_suppression(launch: Launch, comment: str, suppressed: bool) -> None:
    launch.write({"x.py": f"import torch\ntorch.step()\nh = 1  {comment}\n"})
    done = launch.whygrad("run", "--format", "json", "x.py", FAKE_FINDINGS=findings(ERROR))
    report = json.loads(done.stdout)
    assert [f["suppressed"] for f in report["findings"]] == [suppressed]
    assert report["verdict"] == ("trains" if suppressed else "does-not-train")
    assert done.returncode == (not suppressed)


def test_suppression_by_the_line_as_it_was_seen(tmp_path: Path) -> None:
    from whygrad.finding import Finding, Report, Site
    from whygrad.suppression import suppress

    (tmp_path / "x.py").write_text("the file has changed  # whygrad: ignore\n")
    seen = Site("x.py", 1, code="h = h.detach()")
    asked = Site("x.py", 9, code="h = h.detach()  # whygrad: ignore[a]")
    found = (
        Finding("a", "error", "t", causes=(seen,)),
        Finding("a", "warning", "t", causes=(asked,)),
        Finding("a", "warning", "t"),
    )
    report = Report("suspect", "x.py", 1, 1, 0.0, {}, found)
    marked = suppress(report, str(tmp_path))
    assert [f.suppressed for f in marked.findings] == [False, True, False]
    assert marked.verdict == "does-not-train"


# --- the other commands ----------------------------------------------------------------------------------------------

NO_TORCH = (
    "import sys; sys.modules['torch'] = None; from whygrad.cli import main; sys.exit(main(sys.argv[1:]))"
)


def test_help_and_version(launch: Launch) -> None:
    done = launch.whygrad("--help")
    assert done.returncode == 0
    assert {"run", "report", "rules", "explain"} <= set(done.stdout.split())
    assert launch.whygrad("--version").stdout.startswith("whygrad ")
    assert "--fail-on" in launch.whygrad("run", "--help").stdout


@needs_rules
def test_rules_and_their_pages_without_torch(launch: Launch) -> None:
    from whygrad.diagnose import load_rules
    from whygrad.rule_pages import in_source_only

    done = launch.python("-c", NO_TORCH, "rules")
    assert (done.returncode, done.stderr) == (0, "")
    slugs = [line.split()[0] for line in done.stdout.splitlines()]
    assert slugs == sorted({*load_rules()[0], *in_source_only()})
    for slug in slugs[:1]:
        page = launch.python("-c", NO_TORCH, "explain", slug)
        assert (page.returncode, page.stderr) == (0, "")
        assert page.stdout.startswith(f"# {slug}\n")
        assert page.stdout == launch.python("-c", NO_TORCH, "explain", slug.replace("-", "_")).stdout


@needs_rules
def test_report_renders_the_last_record_without_torch(launch: Launch) -> None:
    launch.write({"x.py": STEPS, "other/y.py": STEPS})
    assert launch.whygrad("run", "--steps", "2", "x.py").returncode == 0
    here = launch.folder
    launch.folder = here / "other"
    assert launch.whygrad("run", "--steps", "3", "y.py").returncode == 0
    launch.folder = here
    done = launch.python("-c", NO_TORCH, "report", "--format", "json")
    assert (json.loads(done.stdout)["steps"], done.stderr) == (2, "")
    launch.folder = here / "third"
    launch.folder.mkdir()
    done = launch.python("-c", NO_TORCH, "report", "--format", "json")
    assert json.loads(done.stdout)["steps"] == 3
    assert done.stderr.startswith("whygrad: there is no record of a run in")
    assert "y.py" in launch.python("-c", NO_TORCH, "report").stdout


@needs_rules
def test_a_reader_that_leaves_is_no_error(launch: Launch) -> None:
    command = f"{sys.executable} -m whygrad rules | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], env=launch.environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
