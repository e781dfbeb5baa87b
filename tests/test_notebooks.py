"""Notebooks: run from the command line, without a kernel, and under the magics, in a real one."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbclient
import nbformat.v4
import pytest

from whygrad.excerpt import Sources
from whygrad.finding import Site
from whygrad.notebooks import notebook
from whygrad.notebooks.cells import cell_of, live_cell, place, split
from whygrad.proving import intervention
from whygrad.proving.intervention import Intervention
from whygrad.render import renderer
from whygrad.saved import records
from whygrad.saved import reports as saved

if TYPE_CHECKING:
    from conftest import Launch

NET = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        h = self.a(x)
        return self.b(h.detach())
"""
LOOP = """torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for number in range(100):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def book(*cells: str) -> bytes:
    """A notebook with a page of text, and these cells."""
    code = [nbformat.v4.new_code_cell(source) for source in cells]
    return nbformat.v4.writes(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# T"), *code])
    ).encode()


def python(source: str) -> tuple[str, list[tuple[int, str]]]:
    """A cell's Python, which has as many lines as the cell, and what is left out of it."""
    (cell,) = notebook.cells(book(source))
    assert cell.source == source
    ast.parse(cell.code)
    assert cell.code.count("\n") <= source.count("\n")
    return cell.code, list(cell.left_out)


# names


def test_names_of_cells() -> None:
    assert split(cell_of("sub/a b.ipynb", 3)) == ("sub/a b.ipynb", "cell 3")
    assert split(live_cell("In[12]")) == ("", "cell In[12]")
    assert [split(name) for name in ("model.py", "cell", "cell 3.py", "<string>", "", "x:cell three")] == [
        None
    ] * 6
    assert place("model.py", 7) == "model.py:7"
    assert place("t.ipynb:cell 3", 7) == "t.ipynb:cell 3, line 7"


def test_cells_are_counted_as_jupyter_counts_them() -> None:
    """An empty cell gets no number there, for it is not run."""
    found = notebook.cells(book("a = 1", "  \n", "b = 2"))
    assert [(cell.number, cell.source) for cell in found] == [(1, "a = 1"), (2, "b = 2")]


# IPython's lines


@pytest.mark.parametrize(
    ("source", "code", "left_out"),
    [
        ("x = 7 % 3\ny = (1\n% 2)", "x = 7 % 3\ny = (1\n% 2)", []),
        ("%matplotlib inline\nx = 1", "pass\nx = 1", []),
        ("!pip install a\nx = 1", "pass\nx = 1", [(1, "!pip install a")]),
        ("if True:\n    !ls\n    x = 1", "if True:\n    pass\n    x = 1", [(2, "!ls")]),
        ("files = !ls\nx = 1", "files = []\nx = 1", [(1, "files = !ls")]),
        ("!a \\\n  b\nx = 1", "pass\n\nx = 1", [(1, "!a b")]),
        ("%time y = f(2)\nx = 1", "y = f(2)\nx = 1", []),
        ("t = %timeit -o f()\nx = 1", "t = None\nx = 1", [(1, "t = %timeit -o f()")]),
        ("%run other.py", "pass", [(1, "%run other.py")]),
        ("%load_ext whygrad\nf?\n?f\nf.g??", "pass\npass\npass\npass", []),
        ("%%time\nx = 1", "\nx = 1", []),
        ("%%capture out\n%%time\n!ls\nx = 1", "\n\npass\nx = 1", [(3, "!ls")]),
        ("%%whygrad --steps 3\nx = 1", "\nx = 1", []),
        ("%%bash\nrm -rf x", "", [(1, "%%bash")]),
        ("%%html\n<b>", "", []),
        ("s = '''\n!ls\n%cd x'''\n!ls", "s = '''\n!ls\n%cd x'''\npass", [(4, "!ls")]),
        ("x = f(\n!ls\n)", None, []),
    ],
)
def test_what_is_ipythons_becomes_python_in_its_place(
    source: str, code: str | None, left_out: list[Any]
) -> None:
    if code is None:
        with pytest.raises(SyntaxError):
            python(source)
    else:
        assert python(source) == (code, left_out)


def test_magics_that_set_something_set_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHYGRAD_TEST", "")
    (tmp_path / "sub").mkdir()
    file = "m'odel.py"
    for source in (
        f"%%writefile \"{file}\"\nx = 1\ny = '\\n'",
        f"%%writefile -a {file}\nz = 3",
        "%cd sub\nx = !a",
    ):
        exec(python(source)[0])
    assert (tmp_path / file).read_text() == "x = 1\ny = '\\n'\nz = 3\n"
    assert Path.cwd() == tmp_path / "sub"
    exec(python("%env WHYGRAD_TEST=a b\n%cd ..")[0])
    assert os.environ["WHYGRAD_TEST"] == "a b"
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"\xff\xfe", b"[]", b"{}", b'{"cells": 3}', b'{"worksheets": []}', b'{"cells": [1, {"cell_type": "code"}]}',
     b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_notebook_is_told_in_a_clause(data: bytes) -> None:
    with pytest.raises(notebook.NotebookError, match=r"^it [^.]*$"):
        notebook.cells(data)


def test_the_excerpt_of_a_cell_is_read_from_the_notebook(tmp_path: Path) -> None:
    (tmp_path / "t.ipynb").write_bytes(book("a = 1", "!ls\nb = 2\nc = 3"))
    sources = Sources(tmp_path)
    assert sources.around(Site("t.ipynb:cell 2", 2, code="b = 2")) == [(1, "!ls"), (2, "b = 2"), (3, "c = 3")]
    assert sources.around(Site("t.ipynb:cell 9", 2, code="b = 2")) == [(2, "b = 2")]
    assert sources.around(Site("gone.ipynb:cell 2", 2, code="b = 2")) == [(2, "b = 2")]


# the command line


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"no json", "'t.ipynb' cannot be run: it is not JSON, so it is no notebook."),
        (b'{"cells": []}', "'t.ipynb' cannot be run: it has no code cell, so there is nothing to run."),
        (
            book("print(1)", "x = 1\ny = 2 3"),
            "t.ipynb:cell 2, line 2: invalid syntax. Nothing was run; mend the cell and try again.",
        ),
    ],
)
def test_bad_notebooks_get_one_sentence(launch: Launch, data: bytes, sentence: str) -> None:
    (launch.folder / "t.ipynb").write_bytes(data)
    done = launch.whygrad("run", "t.ipynb")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"whygrad: {sentence}\n"


def test_a_notebook_is_run_as_jupyter_would(launch: Launch) -> None:
    (launch.folder / "sub").mkdir()
    (launch.folder / "sub" / "beside.py").write_text("value = 5")
    cells = (
        "from __future__ import annotations\nimport sys, os, inspect\n%matplotlib inline\n!false",
        "import beside\ndef f(x: undefined): return x\nprint(os.path.basename(os.getcwd()), sys.argv[1:], beside.value)",
        "print(__name__, inspect.getsource(f).strip(), os.environ['MPLBACKEND'])\ndisplay('shown')",
        "import asyncio\nprint(await asyncio.sleep(0, 'awaited'))",
        "import torch\ntorch.step()\n1/0",
    )
    (launch.folder / "sub" / "t.ipynb").write_bytes(book(*cells))
    done = launch.whygrad("run", "sub/t.ipynb", "--lr", "1")
    assert done.stdout.splitlines() == [
        "sub ['--lr', '1'] 5",
        "__main__ def f(x: undefined): return x Agg",
        "shown",
        "awaited",
    ]
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert (
        lines[0] == "whygrad: these lines are IPython's and were not run: sub/t.ipynb:cell 1, line 4: !false"
    )
    trace = lines.index("Traceback (most recent call last):")
    assert lines[trace + 1].endswith('t.ipynb:cell 5", line 3, in <module>')
    assert "1/0" in lines[trace + 2]
    assert "ZeroDivisionError: division by zero" in lines[trace + 3 : trace + 5]


def test_lines_are_named_by_cell(torch_launch: Launch) -> None:
    (torch_launch.folder / "sub").mkdir()
    (torch_launch.folder / "sub" / "t.ipynb").write_bytes(book("import torch\n%load_ext whygrad", NET, LOOP))
    done = torch_launch.whygrad("run", "--steps", "3", "--format", "json", "sub/t.ipynb")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    (finding,) = [f for f in report["findings"] if f["severity"] == "error"]
    first = finding["causes"][0]
    assert (first["file"], first["line"]) == ("t.ipynb:cell 2", 12)
    assert (first["function"], first["code"]) == ("Net.forward", "return self.b(h.detach())")
    assert ("t.ipynb:cell 3", 6) in [(site["file"], site["line"]) for site in finding["causes"]]
    record = saved.read(records.named(Path("1")))
    shown = renderer("terminal")(record.report, root=record.root)
    assert "Look first at t.ipynb:cell 2, line 12." in " ".join(shown.split())
    assert "    11 │     h = self.a(x)\n  > 12 │     return self.b(h.detach())\n" in shown


def test_a_cause_in_a_cell_can_be_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place that a finding names is the place that a proof run changes."""
    pytest.importorskip("torch")
    from whygrad.observe.intervening import Places

    monkeypatch.chdir(tmp_path)
    places = Places(Intervention("skip", "", (intervention.Place("t.ipynb:cell 2", 2),)))
    for cell, expected in ((2, [False, True]), (3, [False, False])):
        code = compile(
            "found = [here()]\nfound += [here()]", cell_of(str(tmp_path / "t.ipynb"), cell), "exec"
        )
        namespace: dict[str, Any] = {"here": places.here}
        exec(code, namespace)
        assert namespace["found"] == expected


# a kernel


class Kernel:
    """A running one; a call runs a cell and gives its outputs by kind."""

    def __init__(self, client: nbclient.NotebookClient) -> None:
        self._client = client

    def __call__(self, source: str) -> dict[str, Any]:
        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        self._client.execute_cell(cell, len(self._client.nb.cells) - 1)
        found: dict[str, Any] = {
            "text": "",
            "out": "",
            "error": "",
            "shown": {},
            "number": cell.execution_count,
        }
        for output in cell.outputs:
            if output.output_type == "stream":
                found["text"] += output.text
            elif output.output_type == "error":
                found["error"] += f"{output.ename}: {output.evalue}\n" + "\n".join(output.traceback)
            else:
                found["shown" if output.output_type == "display_data" else "out"] = output.data
        return found


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """One kernel for all tests, with the model in its second cell."""
    folder = tmp_path_factory.mktemp("kernel")
    environment = {**os.environ, "WHYGRAD_STATE_DIR": str(folder), "IPYTHONDIR": str(folder)}
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=60, allow_errors=True)
    with client.setup_kernel(env=environment, cwd=str(folder)):
        run = Kernel(client)
        assert run("%load_ext whygrad\n%whygrad")["text"].startswith("whygrad: there is no report yet")
        run(f"import torch\n{NET}")
        yield run


def test_a_cell_is_observed_and_ended(kernel: Kernel) -> None:
    done = kernel(f"%%whygrad --steps 3\n{LOOP}print('never reached')")
    assert done["error"] == ""
    assert done["text"].startswith(
        "whygrad: the cell was ended after 3 optimizer steps; its variables are as they were"
    )
    text = done["shown"]["text/plain"]
    assert text.startswith(
        "DOES NOT TRAIN: 2 of 4 parameters get no gradient. Look first at cell In[2],\nline 13."
    )
    assert "    12 │     h = self.a(x)\n  > 13 │     return self.b(h.detach())\n" in text
    assert f"Also    cell In[{done['number']}], line 7 (caller)" in text
    assert "detached-path" in done["shown"]["text/html"]
    # the kernel goes on as if nothing had been
    after = kernel(
        "from torch.overrides import _get_current_function_mode_stack as modes\n(number, modes(), loss.item() > 0)"
    )
    assert after["out"]["text/plain"] == "(2, [], True)"
    assert kernel("for _ in range(5):\n    optimizer.step()\n'trained'")["out"]["text/plain"] == "'trained'"
    again = kernel("last = %whygrad\nlast")["out"]
    assert again["text/plain"] == text
    assert "text/html" in again
    listed = kernel(
        "from whygrad.saved import listing, records\n[e.verdict for e in listing.entries(records.newest_first())]"
    )
    assert listed["out"]["text/plain"] == "['does-not-train']"


def test_what_a_cell_raises_is_shown_as_usual(kernel: Kernel) -> None:
    source = "def f():\n    1/0\n\nf()"
    plain, watched = kernel(f"\n{source}")["error"], kernel(f"%%whygrad\n{source}")["error"]
    assert plain.startswith("ZeroDivisionError: division by zero")
    assert "whygrad/" not in watched
    assert watched.count("ZeroDivisionError") == plain.count("ZeroDivisionError")
    assert watched.count("\n") - plain.count("\n") in (0, 1), "the line of the magic may stand above"
    trained = kernel(f"%%whygrad\n{LOOP}    if number == 1:\n        1/0")
    assert trained["shown"]["text/plain"].startswith("DOES NOT TRAIN")
    assert "ZeroDivisionError" in trained["error"]
    assert kernel("number")["out"]["text/plain"] == "1"
    assert kernel("%%whygrad\ndef (")["error"].startswith("SyntaxError: ")


def test_a_cell_gives_its_value_and_says_when_nothing_was_seen(kernel: Kernel) -> None:
    done = kernel("%%whygrad\nx = 3\nx + 1")
    assert done["out"]["text/plain"] == "4"
    assert done["text"].endswith(
        "made no backward pass and no optimizer step, so there is nothing to report.\n"
    )
    assert (
        kernel("%%whygrad --steps x\n1")["text"] == "UsageError: argument --steps: invalid int value: 'x'\n"
    )
    assert "--steps is 0" in kernel("%%whygrad --steps 0\n1")["text"]
    assert kernel("%%whygrad")["error"] == kernel("%%whygrad\n# nothing")["error"] == ""
