"""Every renderer on the same reports: what is said, in which order, how wide, and that nothing gets through it.

The expected texts beside the reports are written anew with ``WHYGRAD_UPDATE_EXPECTED=1`` and then read by a person.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

from whygrad.excerpt import Sources
from whygrad.finding import SCHEMA, Cost, Finding, ParameterVerdict, Proof, Report, Site, Step
from whygrad.render import _text, _words, formats, renderer

FOLDER = Path(__file__).parent / "fixtures" / "report"
REPORTS = ("broken", "healthy", "incomplete")
HOSTILE = "\x1b[2J\x1b]0;owned\x07[red]bold[/red]\r\n\t</script>\"'&\u202egnp.\ud800\x9b31m" + "\u4e00" * 20
SGR = re.compile(r"\x1b\[[0-9;]*m")


def load(name: str) -> Report:
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Report)


def terminal(report: Report, **options: Any) -> str:
    return renderer("terminal")(report, **{"root": FOLDER, **options})


def changed(report: Report, **fields: Any) -> Report:
    return msgspec.structs.replace(report, **fields)


def finding(**fields: Any) -> Finding:
    return msgspec.structs.replace(load("broken").findings[0], **fields)


def spoilt(value: Any) -> Any:
    """``value`` with every free text in it made hostile; words of the contract stay."""
    fixed = {"severity", "state", "verdict", "broken_link", "ended"}
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, (list, tuple)):
        return [spoilt(item) for item in value]
    if isinstance(value, dict):
        return {
            key if key in REPORT_KEYS else spoilt(key): item if key in fixed else spoilt(item)
            for key, item in value.items()
        }
    return value


REPORT_KEYS = {
    *Report.__struct_fields__,
    *Finding.__struct_fields__,
    *Site.__struct_fields__,
    *Step.__struct_fields__,
    *Proof.__struct_fields__,
    *ParameterVerdict.__struct_fields__,
    *Cost.__struct_fields__,
}


def hostile() -> Report:
    report = spoilt(msgspec.to_builtins(load("broken")))
    report["raised"] = HOSTILE
    return msgspec.convert(report, Report)


def many(count: int) -> Report:
    """A report in which ``count`` parameters do not train."""
    names = [f"encoder.layers.{i // 4}.{('w', 'b', 'g', 'h')[i % 4]}" for i in range(count)]
    row = load("broken").parameters[0]
    rows = tuple(msgspec.structs.replace(row, fqn=name) for name in names)
    one = finding(parameters=tuple(names), title=f"{count} of {count} parameters get no gradient")
    return changed(load("broken"), findings=(one,), parameters=rows)


def numbered(count: int) -> tuple[Finding, ...]:
    return tuple(finding(rule=f"rule-{i}", title=f"fault number {i}") for i in range(count))


# all renderers


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("form", formats())
def test_every_renderer_draws_every_report(form: str, name: str) -> None:
    report = load(name)
    text = renderer(form)(report, width=80, colour=False, notes=True, root=FOLDER, no_such_option=1)
    assert text.endswith("\n")
    for shown in report.findings:
        assert shown.title in text
        assert shown.rule in text
        assert shown.causes[0].file in text


@pytest.mark.parametrize("form", formats())
def test_every_renderer_survives_hostile_text(form: str) -> None:
    text = renderer(form)(hostile(), width=60, colour=False, notes=True, table=True)
    bad = sorted({c for c in text if c != "\n" and not c.isprintable()})
    assert not bad, f"steers the terminal: {bad}"
    text.encode("utf-8")


@pytest.mark.parametrize("form", formats())
def test_every_renderer_draws_ten_thousand_parameters(form: str) -> None:
    report = many(10_000)
    text = renderer(form)(report, table=True)
    assert report.parameters[0].fqn in text
    # an annotation is a few lines beside the code
    assert len(text) < 2_000 if form == "github" else report.parameters[-1].fqn in text


@pytest.mark.parametrize("form", formats())
def test_every_renderer_is_deterministic_and_draws_an_empty_report(form: str) -> None:
    empty = Report("trains", "", 0, 0, 0.0, {})
    draw = renderer(form)
    assert draw(empty) == draw(empty)
    assert draw(load("broken")) == draw(load("broken"))


def test_formats_are_found_by_walking_and_others_refused() -> None:
    assert {"terminal", "json"} <= set(formats())
    assert not [name for name in formats() if name.startswith("_")]
    with pytest.raises(KeyError):
        renderer("_words")


# json


def test_json_is_the_contract_in_its_order() -> None:
    text = renderer("json")(load("broken"))
    assert text == (FOLDER / "broken.json").read_text(encoding="utf-8")
    report = json.loads(text)
    assert list(report)[:3] == ["schema", "verdict", "script"]
    assert report["schema"] == SCHEMA
    assert list(report["findings"][0])[:5] == ["rule", "severity", "title", "parameters", "link"]
    assert list(report["findings"][0]["causes"][0]) == ["file", "line", "function", "code", "role"]


def test_json_is_strict() -> None:
    row = load("broken").parameters[0]
    odd = changed(
        load("broken"),
        losses=(math.nan, 1.0, math.inf),
        findings=(finding(evidence={"norms": (math.nan, 2.0), "deep": {"x": -math.inf}}),),
        parameters=(msgspec.structs.replace(row, grad_norm=(math.nan, None), weight_change=math.inf),),
    )

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    report = json.loads(renderer("json")(odd), parse_constant=refuse)
    assert report["losses"] == [None, 1.0, None]
    assert report["findings"][0]["evidence"] == {"norms": [None, 2.0], "deep": {"x": None}}
    assert report["parameters"][0]["grad_norm"] == [None, None]
    assert renderer("json")(odd).isascii()


# terminal


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("name", REPORTS)
def test_terminal_text_is_as_expected(name: str, width: int) -> None:
    text = terminal(load(name), width=width)
    expected = FOLDER / f"{name}-{width}.txt"
    if os.environ.get("WHYGRAD_UPDATE_EXPECTED"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_terminal_tells_the_verdict_then_the_place_then_the_fix() -> None:
    report = load("broken")
    text = terminal(report)
    first = report.findings[0]
    order = [
        "DOES NOT TRAIN: 4 of 8 parameters get no gradient. Look first at model.py:19.",
        first.title,
        "model.py:19 in Reader.features (cut)",
        "  > 19 │ self.last_hidden = hidden = hidden.detach()",
        "Fix ",
        "train.py:14 (caller)",
        "✗ detach         model.py:19  cut here",
        "gradient norm: none",
        "Stops ",
        "whygrad explain detached-path",
        "warning: softmax-before-cross-entropy",
        "91% of the weights never train",
        "Unseen ",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "unused-output" not in text, "a note is shown only if asked for"
    assert "note: unused-output" in terminal(report, notes=True)


@pytest.mark.parametrize("width", [132, 80, 40, 30])
@pytest.mark.parametrize("name", REPORTS)
def test_terminal_keeps_to_the_width(name: str, width: int) -> None:
    lines = terminal(load(name), width=width, notes=True).splitlines()
    wide = [line for line in lines if cell_len(line) > width and not re.search(r"\S+:\d+$", line)]
    assert not wide
    assert not [line for line in lines if line != line.rstrip()]


def test_terminal_never_breaks_a_place() -> None:
    place = "/a/very/long/path/" + "folder/" * 20 + "model.py"
    text = terminal(
        changed(load("broken"), findings=(finding(causes=(Site(place, 7, "f", "x", "cut"),)),)), width=40
    )
    assert f"{place}:7\n" in text


def test_terminal_is_plain_unless_asked_for_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    plain = terminal(load("broken"))
    assert "\x1b" not in plain
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    coloured = terminal(load("broken"), colour=True)
    assert SGR.search(coloured)
    assert SGR.sub("", coloured) == plain


def test_terminal_colours_let_no_escape_of_the_program_through() -> None:
    text = SGR.sub("", terminal(hostile(), colour=True, notes=True))
    assert "\x1b" not in text
    assert "[red]bold[/red]" in text
    assert r"\x1b[2J" in text
    assert r"\u202e" in text


def test_terminal_in_ascii() -> None:
    text = terminal(load("broken"), unicode=False, notes=True)
    assert text.isascii()
    assert "X detach         model.py:19  cut here" in text
    assert max(map(len, text.splitlines())) <= 80
    assert terminal(hostile(), unicode=False).isascii()


def test_terminal_shows_the_recorded_line_if_the_file_has_changed(tmp_path: Path) -> None:
    text = terminal(load("broken"), root=tmp_path)
    assert "  > 19 │ self.last_hidden = hidden = hidden.detach()\n\n" in text
    (tmp_path / "model.py").write_text("other\n" * 30)
    assert terminal(load("broken"), root=tmp_path) == text


def test_terminal_folds_a_long_path_around_the_break() -> None:
    states = ["ok"] * 20 + ["cut"] + ["lost"] * 20
    path = tuple(Step(f"step{i}", "m.py", i, "", state) for i, state in enumerate(states))  # type: ignore[arg-type]
    text = terminal(changed(load("broken"), findings=(finding(path=path),)))
    stations = re.findall(r"[✗●] step(\d+)", text)
    assert stations == ["0", "1", "19", "20", "21", "39", "40"]
    assert text.count("⋮ 17 more steps") == 2
    assert re.search(r"✗ step20 +m.py:20  cut here", text)
    assert "● step21" in text


@pytest.mark.parametrize(
    ("states", "link", "marks"),
    [
        (["ok", "cut", "lost"], 5, ["● a", "✗ b  m.py:1  cut here", "● c"]),
        (["ok", "cut", "lost"], 6, ["● a", "✗ b  m.py:1  gradient lost here", "● c"]),
        (
            ["ok", "zero", "zero"],
            6,
            ["● a", "✗ b  m.py:1  gradient lost here", "✗ c  m.py:2  gradient lost here"],
        ),
        (["lost", "lost", "ok"], 4, ["✗ a  m.py:0  lost here", "● b", "● c"]),
        (["ok", "ok", "ok"], 8, ["● a", "● b", "● c"]),
    ],
)
def test_terminal_marks_where_the_path_breaks(states: list[Any], link: int, marks: list[str]) -> None:
    path = tuple(Step("abc"[i], "m.py", i, "", state) for i, state in enumerate(states))
    text = terminal(changed(load("broken"), findings=(finding(path=path, link=link),)))
    positions = [text.index(mark) for mark in marks]
    assert positions == sorted(positions)
    assert text.count("✗") == sum("✗" in mark for mark in marks)


def test_terminal_folds_many_parameters() -> None:
    text = terminal(many(10_000))
    assert "DOES NOT TRAIN: 10,000 of 10,000 parameters get no gradient." in text
    assert "\n── parameters ─" not in text, "the table is for few"
    assert len(text.splitlines()) < 60
    assert len(terminal(many(300), table=True).splitlines()) > 300
    assert "── parameters" not in terminal(load("broken"), table=False)


def test_terminal_names_the_rest_of_many_findings() -> None:
    text = terminal(changed(load("broken"), findings=numbered(60)))
    assert "fault number 7" in text
    assert text.count("Fix ") == 8
    assert "52 further findings" in text
    assert "and 12 more" in text


def test_terminal_says_what_the_script_raised() -> None:
    text = terminal(
        changed(load("broken"), raised="RuntimeError: element 0 of tensors does not require grad")
    )
    assert "The script raised RuntimeError: element 0 of tensors does not require grad" in text.replace(
        "\n", " "
    )


@pytest.mark.parametrize("ended", ["end", "exit", "raised", "interrupted", "steps", "something new"])
def test_terminal_says_what_to_do_when_nothing_was_seen(ended: str) -> None:
    text = terminal(changed(load("incomplete"), ended=ended))
    assert text.startswith("INCOMPLETE: No backward pass and no optimizer step was seen.\n")
    assert "\nTo do   " in text
    assert text.count("No backward pass") == 1


def test_terminal_shows_proof_and_suppressed_findings() -> None:
    proved = finding(proof=Proof("proved", "with model.py:19 neutralised the gradient is 0.03"))
    assert "Proof   Proved: with model.py:19" in terminal(changed(load("broken"), findings=(proved,)))
    quiet = changed(load("broken"), findings=(finding(suppressed=True),), verdict="trains")
    text = terminal(quiet)
    assert "detach()" not in text
    assert "1 finding suppressed" in text
    assert text.startswith("TRAINS: 4 of 8 parameters got gradients and changed over 10 steps; 4 get no")
    assert "error: detached-path (suppressed)" in terminal(quiet, notes=True)


# words


def verdict_row(name: str, verdict: str = "trains", link: int | None = None) -> ParameterVerdict:
    row = load("healthy").parameters[0]
    return msgspec.structs.replace(row, fqn=name, verdict=verdict, broken_link=link)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (("trains",), "the only parameter got gradients and changed over 10 steps."),
        (("trains", "trains"), "all 2 parameters got gradients and changed over 10 steps."),
        (
            ("trains", "frozen", "frozen"),
            "1 of 3 parameters got gradients and changed over 10 steps; 2 are frozen.",
        ),
        (
            ("trains", "not judged"),
            "1 of 2 parameters got gradients and changed over 10 steps; 1 is not judged.",
        ),
        (("frozen",), "No fault to report, but no parameter was seen to train over 10 steps."),
    ],
)
def test_the_healthy_headline_claims_no_more_than_was_seen(rows: tuple[str, ...], sentence: str) -> None:
    table = tuple(verdict_row(f"p{i}", word) for i, word in enumerate(rows))
    assert _words.headline(changed(load("healthy"), parameters=table)) == sentence


def test_the_headline_tells_what_could_not_be_seen() -> None:
    report = changed(load("healthy"), incomplete=("The rule x failed.",))
    assert _words.headline(report).endswith("1 thing could not be seen, see below.")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"parameters": ("encoder.0.weight",)},
            "1 of 8 parameters gets no gradient. Look first at model.py:19.",
        ),
        ({"causes": ()}, "4 of 8 parameters get no gradient."),
        ({"link": 8}, "4 of 8 parameters are stepped by no optimizer. Look first at model.py:19."),
        ({"link": 10, "title": "softmax twice."}, "softmax twice. Look first at model.py:19."),
        (
            {"parameters": (), "link": 8, "title": "nothing steps"},
            "nothing steps. Look first at model.py:19.",
        ),
    ],
)
def test_the_headline_of_an_error(fields: dict[str, Any], sentence: str) -> None:
    assert _words.headline(changed(load("broken"), findings=(finding(**fields),))) == sentence


def test_the_headline_of_several_errors_and_of_warnings() -> None:
    other = finding(link=8, parameters=("head.bias",), rule="other")
    assert "5 of 8 parameters do not train" in _words.headline(
        changed(load("broken"), findings=(finding(), other))
    )
    warnings = (finding(severity="warning", title="odd."), finding(severity="warning"))
    report = changed(load("broken"), verdict="suspect", findings=warnings)
    assert _words.headline(report) == "odd, and 1 further warning. Look first at model.py:19."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"), (0.0, "0"), (3, "3"), (12345, "12,345"), (0.0312345, "0.0312"), (1.0, "1"),
        (1234.5, "1,234"), (0.0000031, "3.1e-6"), (2.5e9, "2.5e9"), (math.nan, "nan"), (-math.inf, "-inf"),
    ],
)  # fmt: skip
def test_numbers_are_readable(value: float | None, text: str) -> None:
    assert _text.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (1e-9, "<0.1%"),
        (0.0214, "2.1%"),
        (0.37, "37%"),
        (0.9999, ">99%"),
        (1.0, "100%"),
        (math.inf, "inf"),
    ],
)
def test_shares_are_never_rounded_to_nothing_or_all(share: float, text: str) -> None:
    assert _text.percent(share) == text


def test_names_are_folded_by_the_part_of_the_model() -> None:
    few = ["a.w", "a.b"]
    assert _text.fold(few) == ["a.w, a.b"]
    one_part = [f"net.encoder.{i}" for i in range(12)]
    assert _text.fold(one_part) == [
        "12 in net.encoder: net.encoder.0, net.encoder.1, net.encoder.2 and 9 more"
    ]
    layers = [f"encoder.{i}.{kind}" for i in range(20) for kind in ("weight", "bias")]
    assert _text.fold(layers) == [
        "40 in encoder: encoder.0.weight, encoder.0.bias, encoder.1.weight and 37 more"
    ]
    two_parts = [f"net.{part}.{i}" for part in ("encoder", "decoder") for i in range(5)]
    assert _text.fold(two_parts) == [
        "5 in net.encoder: net.encoder.0, net.encoder.1, net.encoder.2 and 2 more",
        "5 in net.decoder: net.decoder.0, net.decoder.1, net.decoder.2 and 2 more",
    ]
    assert _text.fold([f"p{i}" for i in range(9)]) == ["p0, p1, p2 and 6 more"]
    assert _text.fold([]) == []


def test_evidence_is_told_in_plain_words() -> None:
    facts = {
        "grad_norm": None,
        "lr": 0.1,
        "held": True,
        "norms": [1.0] * 9,
        "range": {"low": 0.0, "high": 1e-9},
    }
    assert _text.evidence(facts) == [
        "gradient norm: none",
        "learning rate: 0.1",
        "held: yes",
        "norms: 1, 1, 1, …, 1, 1",
        "range: low 0, high 1e-9",
    ]


# source


def test_source_is_shown_with_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(b"# coding: latin-1\r\n\r\n\r\n    x = '\xe9'\r\n\ty = 2\x0c\r\n\r\n")
    sources = Sources(tmp_path)
    assert sources.around(Site("m.py", 4, code="x = 'é'")) == [(4, "x = 'é'"), (5, "y = 2")]
    assert sources.around(Site("m.py", 1), context=2) == [(1, "# coding: latin-1")]


@pytest.mark.parametrize("content", [None, b"", b"# coding: nonsense\n", b"\xff\xfe\x00"])
def test_source_that_cannot_be_read_gives_the_recorded_line(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "m.py").write_bytes(content)
    assert Sources(tmp_path).around(Site("m.py", 9, code="x = 1")) == [(9, "x = 1")]
    assert Sources(tmp_path).around(Site("m.py", 9)) == []


@pytest.mark.parametrize("name", [".", "/dev/zero", "\x00", "x" * 5000])
def test_source_is_read_from_ordinary_files_only(name: str, tmp_path: Path) -> None:
    assert Sources(tmp_path).around(Site(name, 1, code="x")) == [(1, "x")]
