"""Whatever the source says, lint and its fixes neither fail nor leave a file that does not parse."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whygrad.lint.checking import check_source, checks, slugs, to_source
from whygrad.lint.edits import by_line
from whygrad.lint.fixing import mended
from whygrad.lint.project import Project
from whygrad.lint.source import Source, SourceError

HERE = Path(__file__).resolve().parent
SEEDS = [
    path.read_text(encoding="utf-8")
    for folder in ("lint", "cases")
    for path in sorted((HERE / folder).glob("*/*.py"))[:: 1 if folder == "lint" else 7]
]
RULES = checks(slugs())
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
PIECES = (
    "lambda x: x", "yield", "await x", "*a", "x := 1", "not x", "x if y else z", "[x for x in y]", "torch.tensor(loss)",
    "loss.item()", "self", "model.parameters()", "nn.Linear(1, 1)", "F.softmax(x)", "Variable(x)", "(\n    x,\n)",
    "'''\n'''", "ä['ß']", "...", "-1", "x[1:]", "{**x}", "f'{x}'", "x.data", "x.detach()", "(yield)", "print",
)  # fmt: skip
HEADERS = ("while x:", "for i in x:", "if x:", "with torch.no_grad():", "def forward(self, x):", "class A(nn.Module):",
           "async def f():", "try:", "match x:", "for p in model.parameters():")  # fmt: skip


def checked_and_mended(text: str) -> None:
    """Check and mend a text that parses; one that does not is told so."""
    path = HERE / "nowhere.py"
    try:
        source = to_source(path, text.encode("utf-8", "surrogatepass"))
        found = check_source(path, "nowhere.py", source, RULES, Project())
    except (SourceError, RecursionError):
        return
    assert found.failures == ()
    after, _ = mended(path, source, RULES, Project(), unsafe=True, notes=True)
    ast.parse(after.text)
    again, count = mended(path, after, RULES, Project(), unsafe=True, notes=True)
    assert (again.text, count) == (after.text, 0)


@FEW
@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda data: data.decode("latin-1")))
def test_any_text(text: str) -> None:
    checked_and_mended("import torch\n" + text)


@FEW
@given(st.sampled_from(SEEDS), st.data())
def test_scripts_with_an_expression_replaced(seed: str, data: st.DataObject) -> None:
    source = Source(seed)
    nodes = [
        node for node in ast.walk(ast.parse(seed)) if isinstance(node, ast.expr) and hasattr(node, "lineno")
    ]
    spans = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=2))
    text = seed
    for node in sorted(spans, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        span = source.span(node)
        text = text[: span.start] + data.draw(st.sampled_from(PIECES)) + text[span.end :]
    checked_and_mended(text)


@FEW
@given(st.sampled_from(SEEDS), st.data())
def test_scripts_with_lines_moved_into_blocks_joined_or_cut(seed: str, data: st.DataObject) -> None:
    lines = seed.splitlines(keepends=True)
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    change = data.draw(st.sampled_from(["cut", "block", "join", "crlf", "twice", "nested"]))
    part = lines[start:end]
    if change == "cut":
        part = []
    elif change in ("block", "nested"):
        for _ in range(1 if change == "block" else 8):
            head = data.draw(st.sampled_from(HEADERS))
            indent = part[0][: len(part[0]) - len(part[0].lstrip())]
            part = [f"{indent}{head}\n", *(f"    {line}" for line in part)]
    elif change == "join":
        part = ["; ".join(line.strip() for line in part) + "\n"]
    elif change == "crlf":
        part = [line.replace("\n", "\r\n") for line in part]
    else:
        part = part + part
    checked_and_mended("".join([*lines[:start], *part, *lines[end:]]))


def test_edits_as_lines_say_what_the_edits_do() -> None:
    """For every fix of the scripts: the lines told in a report, put in place, give the mended text."""
    told = 0
    for seed in SEEDS:
        source = Source(seed)
        checked = check_source(HERE / "nowhere.py", "x", source, RULES, Project())
        for finding in checked.findings:
            lines = [line.rstrip("\n") for line in source.lines]
            for edit in finding.edits:
                before = lines[edit["line"] - 1]
                assert before.strip() == edit["old"]
                told += 1
    assert told > 20
    assert by_line(Source("a = 1\n"), []) == []
