"""``whygrad lint`` as a user meets it: files and folders, bad input, fixes, formats, configuration, exit status."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from whygrad.cli import main
from whygrad.lint.source import MAX_BYTES
from whygrad.lint.work import Task, work

BUG = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
for x in torch.randn(5, 2, 3):
    loss = torch.tensor(model(x).sum(), requires_grad=True)  # the loss
    model.zero_grad()
    loss.backward()
"""
MENDED = BUG.replace("torch.tensor(model(x).sum(), requires_grad=True)", "model(x).sum()")
CLEAN = "import torch\n\nx = torch.zeros(3)\n"


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable:
    """Runs the command in a folder of its own: status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        status = main(["lint", *args])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def notebook(*sources: str, indent: int | str | None = 1) -> str:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# A title\n", "näher"]}]
    for source in sources:
        lines = source.splitlines(keepends=True)
        cells.append(
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}
        )
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=indent, ensure_ascii=False) + "\n"


def test_a_fault_is_told_with_its_place_its_mend_and_what_confirms_it(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG)
    (tmp_path / "data.py").write_text(CLEAN)
    status, out, err = lint()
    assert status == 1
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "1 error in 1 of 2 files."
    assert "train.py:6 error rebuilt-tensor" in lines
    assert "     6 │ loss = torch.tensor(model(x).sum(), requires_grad=True)  # the loss" in lines
    assert any(line.endswith("(--fix)") for line in lines)
    assert "  Check whygrad run --select rebuilt-tensor train.py" in lines
    assert all(len(line) <= 80 for line in lines)


def test_nothing_found_is_one_line_and_status_zero(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(CLEAN)
    assert lint("data.py") == (0, "Nothing found in 1 file.\n", "")


def test_bad_files_are_a_line_each_and_the_rest_is_checked(lint: Callable, tmp_path: Path) -> None:
    bad = {
        "broken.py": b"import torch\ndef f(:\n",
        "python2.py": b"import torch\nprint 'x'\n",
        "null.py": b"import torch\0\n",
        "latin.py": "# é\nimport torch\n".encode("latin-1"),
        "codec.py": b"# -*- coding: nonsense -*-\n",
        "large.py": b"import torch\n" + b"x = 1\n" * (MAX_BYTES // 6),
        "deep.py": b"import torch\nx = " + b"(" * 900 + b"1" + b")" * 900 + b"\n",
        "sum.py": b"import torch\nx = " + b"+".join([b"torch.zeros(1)"] * 5000) + b"\n",
        "old.ipynb": b'{"worksheets": []}',
        "no.ipynb": b"[1, 2",
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    (tmp_path / "circle").mkdir()
    (tmp_path / "circle" / "again").symlink_to("..", target_is_directory=True)
    (tmp_path / "train.py").write_text(BUG)
    status, out, err = lint()
    assert status == 1
    assert "train.py:6 error rebuilt-tensor" in out
    told = err.splitlines()
    assert len(told) == len({line.split(":")[1] for line in told})
    assert {line.split(": ")[1] for line in told} >= {*bad, "loop.py", "gone.py"} - {"deep.py"}
    assert all(line.endswith(".") for line in told)
    assert "broken.py: it is no valid Python 3: line 2: invalid syntax" in err
    assert "could not be checked, see above." in out


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may read everything")
def test_an_unreadable_file(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(BUG)
    (tmp_path / "secret.py").chmod(0)
    assert lint()[2].startswith("whygrad: secret.py: it can't be read: permission denied")


def test_a_path_that_does_not_exist_and_no_file_that_can_be_checked_are_status_two(
    lint: Callable, tmp_path: Path
) -> None:
    status, out, err = lint("nowhere")
    assert (status, out) == (2, "")
    assert err == "whygrad: There is no file or folder 'nowhere'; name one that exists.\n"
    (tmp_path / "broken.py").write_text("def f(:")
    assert lint()[0] == 2


def test_encodings_and_ends_of_lines_outlive_a_fix(lint: Callable, tmp_path: Path) -> None:
    files = {
        "bom.py": b"\xef\xbb\xbf" + BUG.encode(),
        "crlf.py": BUG.replace("\n", "\r\n").encode(),
        "latin.py": f"# -*- coding: latin-1 -*-\n# é\n{BUG}".encode("latin-1"),
        "tabs.py": BUG.replace("    ", "\t").replace("the loss", "größer ✓").encode(),
        "last.py": BUG.rstrip("\n").encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "crlf.py").chmod(0o750)
    status, out, _ = lint("--fix")
    assert status == 0
    assert "5 faults mended in 5 files." in out
    old, new = b"torch.tensor(model(x).sum(), requires_grad=True)", b"model(x).sum()"
    for name, data in files.items():
        assert (tmp_path / name).read_bytes() == data.replace(old, new), name
    assert stat.S_IMODE((tmp_path / "crlf.py").stat().st_mode) == 0o750
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(files)
    assert lint("--fix")[1] == "Nothing found in 5 files.\n"


def test_a_diff_changes_nothing_and_fits_the_fix(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG)
    _, out, _ = lint("--diff")
    assert (tmp_path / "train.py").read_text() == BUG
    assert "--- train.py\n+++ train.py\n" in out
    assert "-    loss = torch.tensor(model(x).sum(), requires_grad=True)  # the loss\n" in out
    assert "+    loss = model(x).sum()  # the loss\n" in out
    assert "1 fault would be mended in 1 file." in out
    lint("--fix")
    assert (tmp_path / "train.py").read_text() == MENDED


def test_unsafe_fixes_only_when_asked_for(lint: Callable, tmp_path: Path) -> None:
    code = "from torch import nn\nimport torch\n\nbn = nn.BatchNorm1d(4, momentum=0.99)\n"
    (tmp_path / "net.py").write_text(code)
    assert "1 can be mended by --fix --unsafe-fixes." in lint("--fix")[1]
    assert (tmp_path / "net.py").read_text() == code
    lint("--fix", "--unsafe-fixes")
    assert (tmp_path / "net.py").read_text() == code.replace("0.99", "0.01")
    assert lint("--unsafe-fixes")[0] == 2


def test_a_link_stays_one_and_its_file_is_mended(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "train.py").write_text(BUG)
    (tmp_path / "link.py").symlink_to("real/train.py")
    lint("--fix", "link.py")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real" / "train.py").read_text() == MENDED


@pytest.mark.parametrize("indent", [1, 2, None, "\t"])
def test_notebooks_are_told_by_cell_and_only_their_source_changes(
    lint: Callable, tmp_path: Path, indent: int | str
) -> None:
    first, second = (
        "%matplotlib inline\nimport torch\nfrom torch import nn\n!pip list",
        BUG.partition("nn\n\n")[2],
    )
    text = notebook(first, "\n", second, indent=indent)
    (tmp_path / "train.ipynb").write_text(text, encoding="utf-8")
    status, out, _ = lint()
    assert status == 1
    assert "train.ipynb:cell 2, line 3 error rebuilt-tensor" in out
    lint("--fix")
    after = (tmp_path / "train.ipynb").read_text(encoding="utf-8")
    assert after == text.replace("torch.tensor(model(x).sum(), requires_grad=True)", "model(x).sum()")


def test_what_is_left_out(lint: Callable, tmp_path: Path) -> None:
    for folder in (".venv/lib", "node_modules", "build", "env", "old", "src/gen", "src"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "train.py").write_text(BUG)
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "pyproject.toml").write_text('[tool.whygrad.lint]\nexclude = ["old", "src/g*"]\n')
    assert lint()[1].splitlines()[0] == "1 error in 1 of 1 file."
    assert lint("--exclude", "src/train.py")[1] == "Nothing found in 0 files.\n"
    assert lint("old/train.py")[1].splitlines()[0] == "1 error in 1 of 1 file."


def test_rules_are_chosen_by_options_and_configuration(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG)
    assert lint("--ignore", "rebuilt-tensor,no-grad-path")[0] == 0
    assert lint("--select", "no-grad-path")[0] == 0
    assert lint("--select", "rebuilt-tensor")[0] == 1
    status, _, err = lint("--select", "rebuilt-tenser")
    assert status == 2
    assert "did you mean 'rebuilt-tensor'?" in err
    (tmp_path / "pyproject.toml").write_text('[tool.whygrad.lint]\nignore = ["rebuilt-tensor"]\n')
    assert lint()[0] == 0
    for wrong in ("ignores = []", 'ignore = "x"', 'ignore = ["x"]'):
        (tmp_path / "pyproject.toml").write_text(f"[tool.whygrad.lint]\n{wrong}\n")
        assert lint()[0] == 2


def test_a_comment_accepts_a_place(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG.replace("# the loss", "# whygrad: ignore[rebuilt-tensor]"))
    status, out, _ = lint("--fix")
    assert status == 0
    assert "1 finding suppressed by a comment in the source." in out
    assert "torch.tensor" in (tmp_path / "train.py").read_text()
    (tmp_path / "train.py").write_text(BUG.replace("# the loss", "# whygrad: ignore[no-grad-path]"))
    assert lint()[0] == 1


def test_exit_status_and_notes(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch\nfrom torch import nn\nl = nn.Linear(2, 2)\nl.weight.data.zero_()\nb = nn.BatchNorm1d(2, momentum=0.99)\n"
    )
    assert lint()[0] == 0
    assert lint("--fail-on", "warning")[0] == 1
    assert "weight-written-through-data" not in lint()[1]
    _, out, _ = lint("--notes")
    assert "net.py:4 note weight-written-through-data" in out
    assert "not harmed" in " ".join(out.split())
    lint("--fix")
    assert "data.zero_()" in (tmp_path / "net.py").read_text()
    lint("--fix", "--notes")
    assert "nn.init.zeros_(l.weight)" in (tmp_path / "net.py").read_text()


def test_statistics(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BUG)
    (tmp_path / "b.py").write_text(BUG + "b = nn.BatchNorm1d(2, momentum=0.99)\n")
    out = lint("--statistics")[1].splitlines()
    assert out[0] == "2 errors and 1 warning in 2 of 2 files."
    assert out[2:4] == ["2  rebuilt-tensor", "1  batchnorm-momentum"]


def test_json_sarif_and_github(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG)
    (tmp_path / "bad.py").write_text("def f(:")
    status, out, _ = lint("--format", "json")
    report = json.loads(out)
    assert status == 1
    assert (report["schema"], report["files"], report["statistics"]) == (
        "whygrad.lint/1",
        2,
        {"rebuilt-tensor": 1},
    )
    assert [problem["file"] for problem in report["problems"]] == ["bad.py"]
    found = report["findings"][0]
    assert found["causes"][0]["line"] == 6
    assert found["evidence"]["confirm"] == "whygrad run --select rebuilt-tensor train.py"
    assert found["edits"] == [
        {
            "file": "train.py", "line": 6, "old": BUG.splitlines()[5].strip(),
            "new": MENDED.splitlines()[5].strip(), "safe": True,
        }
    ]  # fmt: skip
    run = json.loads(lint("--format", "sarif")[1])["runs"][0]
    result = run["results"][0]
    assert (result["ruleId"], result["level"]) == ("rebuilt-tensor", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 6
    assert "fixes" in result
    assert run["invocations"][0]["exitCode"] == 1
    out = lint("--format", "github", "--output", "annotations.txt")[1]
    assert out == ""
    lines = (tmp_path / "annotations.txt").read_text().splitlines()
    assert lines[0] == "1 error in 1 of 2 files."
    assert lines[1].startswith("::error file=train.py,line=6,title=whygrad%3A rebuilt-tensor::")


def test_names_imported_from_other_files_of_the_project(lint: Callable, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("from .net import Net as Net\n")
    (tmp_path / "models" / "net.py").write_text(
        "import torch.nn.functional as F\nfrom torch import nn\nfrom .base import Base\n\n\n"
        "class Net(Base):\n    def forward(self, x):\n        return F.softmax(self.head(x), dim=1)\n"
    )
    (tmp_path / "models" / "base.py").write_text(
        "from torch import nn\n\n\nclass Base(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.head = nn.Linear(2, 3)\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom models import Net\n\nnet, criterion = Net(), torch.nn.CrossEntropyLoss()\n"
        "for x, y in []:\n    loss = criterion(net(x), y)\n    loss.backward()\n"
    )
    out = lint()[1]
    assert "train.py:6 error softmax-before-cross-entropy" in out
    assert "(It is made in net.py.)" in " ".join(out.split())


def test_many_files_in_several_processes_come_in_order_and_alike(tmp_path: Path) -> None:
    files = []
    for index in range(90):
        file = tmp_path / f"f{index:03}.py"
        file.write_text(BUG if index % 3 else CLEAN)
        files.append(file)
    task = Task(tmp_path, ("rebuilt-tensor",))
    alone = list(work(files, task, 1))
    several = list(work(files, task, 2))
    assert [done.path for done in several] == files
    assert [done.checked for done in several] == [done.checked for done in alone]
    assert sum(len(done.checked.findings) for done in alone) == 60


def test_it_needs_no_torch(lint: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(BUG)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert lint()[0] == 1


def test_the_form_that_the_notes_name_computes_the_same_and_harms_nothing() -> None:
    torch = pytest.importorskip("torch")

    def trained(initialise: Callable) -> list:
        torch.manual_seed(0)
        layer = torch.nn.Linear(3, 2)
        initialise(layer.weight)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        for x in torch.randn(5, 4, 3):
            optimizer.zero_grad()
            layer(x).pow(2).mean().backward()
            assert layer.weight.is_leaf
            assert layer.weight.grad.norm() > 0
            optimizer.step()
        return layer.weight.tolist()

    by_data = trained(lambda w: w.data.normal_(0, 0.5))
    assert by_data == trained(lambda w: torch.nn.init.normal_(w, 0, 0.5))
    assert by_data == trained(lambda w: w.detach().normal_(0, 0.5))
