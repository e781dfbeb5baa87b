"""``whygrad report --list`` and ``--against``: what is kept, and what became of a model between two runs."""

from __future__ import annotations

import json
import math
from datetime import timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from test_golden import GOLDEN, HOSTILE, shared, with_text

from whygrad.cli import main
from whygrad.errors import UsageError
from whygrad.finding import Finding, Report, Site
from whygrad.render import renderer
from whygrad.render._comparison import comparison_json, comparison_text
from whygrad.saved import records
from whygrad.saved.comparing import Comparison, Parameters, compare
from whygrad.saved.reports import read
from whygrad.trace import Trace

EMPTY = Trace("x.py", (), {}, "end", 0.0, *(((),) * 10))


def report(*findings: Finding, **trains: bool) -> Report:
    row = shared().parameters[0]
    rows = [
        msgspec.structs.replace(row, fqn=name, verdict="trains" if yes else "used")
        for name, yes in trains.items()
    ]
    return Report("trains", "x.py", 3, 3, 1.0, {}, tuple(findings), tuple(rows))


def finding(**fields: Any) -> Finding:
    site = Site("m.py", fields.pop("line", 7), code=fields.pop("code", "h = h.detach()"))
    base = {
        "rule": "detached-path",
        "severity": "error",
        "title": "t",
        "parameters": ("a", "b"),
        "causes": (site,),
    }
    return Finding(**{**base, **fields})


def sorts(old: list[Finding], new: list[Finding], notes: bool = False) -> dict[str, int]:
    """How many findings of each sort there are."""
    found = compare(report(*old), report(*new), notes).findings
    counts = {name: len(getattr(found, name)) for name in found.__struct_fields__}
    return {name: count for name, count in counts.items() if count}


# comparing


def test_which_parameters_train_now_and_which_no_more() -> None:
    found = compare(
        report(a=False, b=True, c=True, d=False, e=True), report(a=True, b=False, c=True, d=False, f=True)
    )
    assert found.parameters == Parameters(("a",), ("b",), ("f",), ("e",))


def test_parameters_of_one_name_are_told_apart_by_their_order() -> None:
    row = shared().parameters[0]

    def two(*verdicts: str) -> Report:
        rows = tuple(msgspec.structs.replace(row, fqn="weight", verdict=verdict) for verdict in verdicts)
        return msgspec.structs.replace(report(), parameters=rows)

    assert compare(two("trains", "used"), two("trains", "trains")).parameters == Parameters(("weight",))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([finding()], [finding(line=99, title="other", fix="other")], {"unchanged": 1}),
        ([finding()], [], {"gone": 1}),
        ([], [finding()], {"new": 1}),
        ([finding()], [finding(rule="no-grad-path")], {"new": 1, "gone": 1}),
        ([finding()], [finding(parameters=("a",))], {"changed": 1}),
        ([finding()], [finding(parameters=("a", "b", "c"))], {"changed": 1, "worse": 1}),
        ([finding()], [finding(code="y = h.detach()")], {"changed": 1}),
        ([finding()], [finding(code="y = h.detach()", parameters=("c",))], {"new": 1, "gone": 1}),
        ([finding(), finding()], [finding()], {"unchanged": 1, "gone": 1}),
        ([finding()], [finding(), finding(line=9, code="z.detach()")], {"unchanged": 1, "new": 1}),
        ([finding()], [finding(suppressed=True)], {"gone": 1}),
        ([finding(severity="note")], [finding()], {"new": 1}),
        ([finding(severity="note")], [finding(severity="note")], {}),
        ([finding(code="")], [finding(code="", line=8, parameters=("c",))], {"new": 1, "gone": 1}),
        ([finding(causes=())], [finding(causes=())], {"unchanged": 1}),
    ],
)
def test_which_findings_are_new_gone_and_unchanged(
    old: list[Finding], new: list[Finding], expected: dict[str, int]
) -> None:
    assert sorts(old, new) == expected


def test_notes_count_if_asked_for() -> None:
    assert sorts([], [finding(severity="note")], notes=True) == {"new": 1}


def whole() -> Comparison:
    old = report(finding(), finding(rule="x", parameters=("c",)), finding(rule="y"), a=False, b=True, c=True)
    new = report(
        finding(line=9),
        finding(rule="x", parameters=("c", "d")),
        finding(rule="z", severity="warning"),
        a=True,
        b=False,
    )
    return compare(old, msgspec.structs.replace(new, verdict="suspect"))


def test_the_comparison_for_a_person() -> None:
    text = comparison_text(whole())
    order = [
        "SUSPECT now, TRAINS before: 1 parameter trains that did not, 1 parameter trains\nno more, 1 finding is new,",
        " 1 finding is gone, 1 finding has changed, 1 finding\nas before.\n",
        "trains now, did not before: 1 parameter\n    a\n",
        "does not train now, did before: 1 parameter\n    b\n",
        "only in the old run: 1 parameter\n    c\n",
        "── new: 1 finding ─",
        "warning m.py:7: t [z]\n",
        "── changed: 1 finding ─",
        "error m.py:7: t [x]\n",
        "── gone: 1 finding ─",
        "── unchanged: 1 finding ─",
        "error m.py:9: t [detached-path]\n",
        "Old     x.py: 3 steps, 3 parameters\n",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "no difference" in comparison_text(compare(report(), report()))
    assert "\x1b[" in comparison_text(whole(), colour=True)
    assert comparison_text(whole(), unicode=False).isascii()


def test_the_comparison_as_json() -> None:
    found = json.loads(comparison_json(whole()))
    assert list(found) == ["schema", "old", "new", "parameters", "findings"]
    assert found["schema"] == "whygrad.comparison/1"
    assert found["parameters"] == {
        "trains_now": ["a"],
        "trains_no_more": ["b"],
        "added": [],
        "removed": ["c"],
    }
    assert [f["rule"] for f in found["findings"]["new"]] == ["z"]
    assert [f["rule"] for f in found["findings"]["worse"]] == ["x"]


@pytest.mark.parametrize("what", HOSTILE)
def test_text_of_the_program_stays_text_in_a_comparison(what: str) -> None:
    comparison = compare(with_text(HOSTILE[what]), shared(), notes=True)
    for text in (comparison_text(comparison), comparison_json(comparison)):
        assert not sorted({c for c in text if c != "\n" and not c.isprintable()})
        text.encode("utf-8")


# the command


def write(path: Path, found: Report) -> Path:
    path.write_text(renderer("json")(found), encoding="utf-8")
    return path


def test_against_compares_and_fails_only_for_what_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = write(tmp_path / "bad.json", report(finding(), a=False))
    good = write(tmp_path / "good.json", report(a=True))
    mild = write(tmp_path / "mild.json", report(finding(severity="warning"), a=False))

    def status(new: Path, old: Path, *options: str) -> int:
        return main(["report", str(new), "--against", str(old), *options])

    assert status(good, bad) == 0
    assert "1 parameter trains that did not, 1 finding is gone." in capsys.readouterr().out
    assert status(bad, good) == 1
    assert status(bad, good, "--fail-on", "never") == 0
    assert status(bad, good, "--ignore", "detached-path") == 0
    assert status(mild, good) == 0
    assert status(mild, good, "--fail-on", "warning") == 1
    capsys.readouterr()
    assert status(bad, good, "--format", "json", "--output", str(tmp_path / "out")) == 1
    assert len(json.loads((tmp_path / "out").read_text())["findings"]["new"]) == 1
    assert capsys.readouterr() == ("", f"whygrad: the comparison is in {tmp_path / 'out'}.\n")
    assert status(bad, write(tmp_path / "copy.json", report(finding(line=9), a=False))) == 0, "as it was"


def test_the_list(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--list"]) == 0
    assert "There is no record yet." in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    for script, cwd in (
        ("old.py", "/elsewhere"),
        ("-m train", str(tmp_path)),
        ("sub/train.ipynb", str(tmp_path / "sub")),
    ):
        path = records.new_path(script, cwd)
        records.Keeper(path).save(msgspec.structs.replace(EMPTY, script=script, cwd=cwd))
    path = records.new_path("bad.py", str(tmp_path))
    path.write_bytes(next(records.folder().iterdir()).read_bytes()[:40])
    assert main(["report", "--list"]) == 0
    text = capsys.readouterr().out
    assert str(records.folder()) in text
    assert "newest 20 records" in text
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    when = records.made(path).astimezone().strftime("%Y-%m-%d")
    assert [row[:2] for row in rows] == [[str(n), when] for n in (1, 2, 3, 4)]
    assert rows[0][-3:] == ["cannot", "be", "read"]
    assert rows[1][3:] == ["sub/train.ipynb", "INCOMPLETE", "0"]
    assert rows[2][3:] == ["-m", "train", "INCOMPLETE", "0"]
    assert rows[3][3:] == ["/elsewhere/old.py", "INCOMPLETE", "0"]
    assert main(["report", "--list", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["kept"], found["folder"]) == (
        "whygrad.records/1",
        20,
        str(records.folder()),
    )
    assert [entry["verdict"] for entry in found["records"]] == ["", *["incomplete"] * 3]
    assert "cut short or damaged" in found["records"][0]["problem"]
    assert found["records"][3]["path"].endswith(".whygrad")
    assert main(["report", "3"]) == 0
    assert "-m train" in capsys.readouterr().out


def test_a_record_is_named_by_its_number_or_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="There is no record 1: none is kept"):
        records.named(Path("1"))
    paths = [records.new_path("x.py", "/a") for _ in range(2)]
    for path in paths:
        records.Keeper(path).save(EMPTY)
    assert records.named(Path("1")) == paths[1]
    assert records.named(Path("2")) == paths[0]
    assert records.made(paths[0]).tzinfo is timezone.utc
    for word in ("0", "3", "99999999999999999999"):
        with pytest.raises(UsageError, match="only 2 are kept"):
            records.named(Path(word))
    (tmp_path / "2").touch()
    assert records.named(Path("2")) == Path("2"), "a file of that name goes before"
    assert records.made(Path("2")).year >= 2026


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--list", "x"], "--list lists all the records; give it alone."),
        (["--list", "--open"], "--open shows one report as html; leave it out with --list."),
        (["--list", "--against", "x"], "--list lists all the records; give it alone."),
        (
            ["--list", "--format", "sarif"],
            "--list is shown as terminal or json, not as sarif; add --format terminal.",
        ),
        (
            ["--against", "good.json", "good.json"],
            "good.json is the record itself; `whygrad report --list` shows the others.",
        ),
        (["--against", "gone", "good.json"], "No record could be read at gone: No such file or directory."),
        (
            ["good.json", "--against", "7"],
            "There is no record 7: none is kept; `whygrad report --list` shows them.",
        ),
        (
            ["cut.json"],
            "cut.json is damaged (Input data was truncated); save the report again: whygrad report --format json",
        ),
        (["other.json"], "other.json is no JSON report of whygrad"),
        (["odd.json"], "odd.json is damaged (Expected `int`, got `str` - at `$.steps`); save"),
        (["text"], "text is not a whygrad record; give a file that `whygrad run` wrote."),
        (["."], "No record could be read at .: Is a directory."),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    good = write(tmp_path / "good.json", report()).read_text()
    (tmp_path / "cut.json").write_text(good[:50])
    (tmp_path / "odd.json").write_text(good.replace('"steps": 3', '"steps": "3"'))
    (tmp_path / "other.json").write_text('{"schema": "whygrad.report/9"}')
    (tmp_path / "text").write_text("some text")
    assert main(["report", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"whygrad: {sentence}")
    assert captured.err.count("\n") == 1


def test_a_report_saved_as_json_is_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    found = read(GOLDEN / "report.json")
    assert math.isnan(found.report.losses[1]), "what JSON cannot hold"
    assert read(GOLDEN / "report.json", select=["detached-path"]).report.findings == found.report.findings[:1]
    without = read(GOLDEN / "report.json", ignore=["detached-path", "optimizer-holds-stale-parameter"]).report
    assert without.verdict == "suspect"
    assert main(["report", str(GOLDEN / "report.json"), "--format", "json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["losses"][1] is None
    assert again["findings"] == json.loads(renderer("json")(found.report))["findings"]
