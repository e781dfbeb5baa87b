"""The HTML report and the fragments for notebooks, as text (``test_html_browser.py`` looks at them in a browser)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from whygrad import opening
from whygrad.cli import main
from whygrad.finding import Finding, Report, Site, Station
from whygrad.graph.mending import method_for_assignment, registered_list, without
from whygrad.render import renderer
from whygrad.render._html_page import asset, sentence
from whygrad.saved.reports import read

FIXTURES = Path(__file__).parent / "fixtures"


def shared() -> Report:
    return read(FIXTURES / "golden" / "report.json").report


def draw(report: Report) -> str:
    return renderer("html")(report, root=FIXTURES / "report")


def data_of(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


class Outline(HTMLParser):
    """Ids and headings of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.levels: list[int] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.attributes += attrs
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))


def test_it_says_the_verdict_then_the_place_then_the_fix_and_the_proof() -> None:
    html = draw(shared())
    first = shared().findings[0]
    order = [
        "Does not train",
        "<h1",
        first.title,
        "model.py:19",
        "▸",
        "Fix</h3>",
        "−",
        "+",
        "Proved",
        "breaks here",
        "further finding",
    ]
    places = [html.index(words) for words in order[:3]]
    for words in order[3:]:
        places.append(html.index(words, places[-1]))
    assert places == sorted(places)


def test_the_fix_is_a_diff_in_its_surroundings() -> None:
    html = draw(shared())
    assert re.search(
        r'class="gone".*?Instead of: .*?self\.last_hidden = hidden = hidden\.detach\(\)', html, re.DOTALL
    )
    assert re.search(
        r'class="new".*?Write: .*?self\.last_hidden = hidden\.detach\(\)</code>', html, re.DOTALL
    )


@pytest.mark.parametrize(
    "edit", [{}, {"file": 1, "line": 2, "old": "a", "new": "b"}, {"span": [1, 2], "text": ""}]
)
def test_edits_of_another_shape_are_left_out(edit: dict[str, Any]) -> None:
    one = Finding("a-rule", "error", "title", edits=(edit,))
    assert "Instead of" not in draw(msgspec.structs.replace(shared(), findings=(one,)))


def test_ids_are_unique_and_headings_leave_out_no_level() -> None:
    outline = Outline(draw(shared()))
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.levels[0] == 1
    assert all(b <= a + 1 for a, b in zip(outline.levels, outline.levels[1:], strict=False))
    assert not [name for name, _ in outline.attributes if name.startswith("on") or name == "style"]


def test_the_policy_allows_just_the_styles_and_the_script_of_the_page() -> None:
    html = draw(shared())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert "default-src &#39;none&#39;" in policy[1]
    assert "unsafe" not in policy[1]
    for tag in ("style", "script"):
        found = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert found
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest.replace('+', '+')}&#39;" in policy[1]
    assert not re.search(r"(src|href)=\"(?!#|data:,)", html), "it asks for nothing"
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", html)


def test_it_is_small_without_its_data() -> None:
    assert len(draw(Report("trains", "", 0, 0, 0.0, {}))) < 150_000


def test_the_data_is_strict_json_that_cannot_end_the_script() -> None:
    row = msgspec.structs.replace(
        shared().parameters[0], fqn="</script><!--\u2028\x00", grad_norm=(float("nan"), 1.0, None)
    )
    html = draw(msgspec.structs.replace(shared(), parameters=(row,), losses=(float("inf"), 2.0)))
    data = data_of(html)
    assert data["params"][0]["name"] == "</script><!--\\u2028\\x00"
    assert data["params"][0]["grads"] == ["nan", 1.0, None]
    assert data["losses"] == ["inf", 2.0]
    assert html.count("</script>") == 2


def test_parameters_know_their_finding_and_their_way() -> None:
    report = shared()
    data = data_of(draw(report))
    by_name = {param["name"]: param for param in data["params"]}
    stopped = by_name[report.findings[0].parameters[0]]
    assert stopped["about"] == [0]
    assert data["stations"][stopped["path"]][0] == report.stations[report.parameters[0].path or 0].label
    assert len(data["stations"]) == len(report.stations)
    assert data["guess"] == pytest.approx(report.guess, rel=1e-3)


def test_what_a_report_of_ten_thousand_parameters_weighs() -> None:
    row = msgspec.structs.replace(shared().parameters[0], grad_norm=(0.12345678,) * 10, path=None)
    rows = tuple(msgspec.structs.replace(row, fqn=f"blocks.{i}.weight") for i in range(10_000))
    assert len(draw(msgspec.structs.replace(shared(), parameters=rows))) < 8_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("all 2 parameters got", "All 2 parameters got"),
        ("cross_entropy is given", "cross_entropy is given"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_but_a_name_does_not(text: str, said: str) -> None:
    assert sentence(text) == said


# notebooks


def test_a_fragment_styles_nothing_outside_itself() -> None:
    fragment = shared()._repr_html_()
    style = re.search(r"<style>(.*?)</style>", fragment, re.DOTALL)
    assert style
    rules = re.sub(r"@(media|container)[^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}", r"\2", style[1])
    selectors = [
        one.strip() for chosen in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for one in chosen.split(",")
    ]
    assert len(selectors) > 80
    # a list within :where(...) was taken apart, too: its parts hold no class of their own
    outside = [one for one in selectors if ".wg" not in one and not re.fullmatch(r"[\w*]+\)?", one)]
    assert outside == []


def test_a_fragment_holds_the_whole_page_unless_that_is_too_large() -> None:
    report = shared()
    assert "<iframe srcdoc=" in report._repr_html_()
    assert "&lt;!doctype html&gt;" in report._repr_html_()
    row = report.parameters[0]
    rows = tuple(msgspec.structs.replace(row, fqn=f"blocks.{i}.weight") for i in range(9_000))
    large = msgspec.structs.replace(report, parameters=rows)._repr_html_()
    assert "<iframe" not in large
    assert "report.to_html()" in large
    assert report.to_html().startswith("<!doctype html>")


def test_every_template_and_script_is_packaged() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '"whygrad.render" = ["templates/*"]' in text
    assert asset("start.js").endswith("\n")


# edits


@pytest.mark.parametrize(
    ("code", "names", "new"),
    [
        ("h = h.detach()", ["detach"], ""),
        ("return (a + b).detach() / 2", ["detach"], "return (a + b) / 2"),
        ("y = self.net(x.data)", ["data"], "y = self.net(x)"),
        ("x.data = y", ["data"], None),
        ("return F.softmax(self.fc(x), dim=-1)  # why", ["softmax"], "return self.fc(x)  # why"),
        ("p = torch.softmax(a + b, 1) * 2", ["softmax"], "p = (a + b) * 2"),
        ("p = self.act(x).softmax(dim=1)", ["softmax"], "p = self.act(x)"),
        ("é = ü.detach() + 'ß'", ["detach"], "é = ü + 'ß'"),
        ("for x in pool.detach():", ["detach"], "for x in pool:"),
        ("a.detach() + b.detach()", ["detach"], None),
        ("x = f(", ["detach"], None),
        ("x.detach().sum(),", ["detach"], "x.sum(),"),
        ("F.softmax(*args)", ["softmax"], None),
        ("x.detach_()", ["detach"], None),
        ("", ["detach"], None),
    ],
)
def test_what_should_not_be_there_is_left_out_of_a_line(code: str, names: list[str], new: str | None) -> None:
    edits = without([Site("m.py", 3, code=code)], *names)
    assert [edit["new"] for edit in edits] == ([] if new is None else [new])
    assert all(edit["old"] == code and edit["line"] == 3 and edit["safe"] is False for edit in edits)


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("self.layers = [nn.Linear(8, 8) for _ in range(3)]", "self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])"),
        ("self.a = [torch.nn.Linear(8, 8)]  # b", "self.a = torch.nn.ModuleList([torch.nn.Linear(8, 8)])  # b"),
        ("self.layers = []", None),
        ("self.layers = [Block(8) for _ in range(3)]", None),
        ("self.layers = make()", None),
        ("self.layers = [[nn.Linear(8, 8)], [nn.ReLU()]]", None),
        ("self.layers = [nn.Linear(8, 8), make(nn.ReLU())]", None),
        ("self.weights = [nn.init.zeros_(w) for w in ws]", None),
    ],
)  # fmt: skip
def test_a_list_of_modules_becomes_a_module_list(code: str, new: str | None) -> None:
    assert [edit["new"] for edit in registered_list([Site("m.py", 3, code=code)])] == (
        [] if new is None else [new]
    )


def test_an_assignment_becomes_a_call() -> None:
    (edit,) = method_for_assignment(
        [Site("m.py", 1, code="net.head.requires_grad = True")], "requires_grad", "requires_grad_"
    )
    assert edit["new"] == "net.head.requires_grad_(True)"
    assert not method_for_assignment(
        [Site("m.py", 1, code="setattr(p, 'requires_grad', 1)")], "requires_grad", "x"
    )


# ways to the loss, from a run


def way(report: Report, name: str) -> list[Station]:
    at = next(row.path for row in report.parameters if row.fqn == name)
    found = []
    while at is not None:
        found.append(report.stations[at])
        at = found[-1].next
    return found


@pytest.fixture(scope="module")
def cut() -> Report:
    pytest.importorskip("torch")
    from cases_runner import run_case

    return run_case(Path(__file__).parent / "cases" / "detached-path" / "bug_features_to_head.py").report


def test_every_parameter_has_its_evidence(cut: Report) -> None:
    assert cut.guess is not None
    for row in cut.parameters:
        assert row.registered
        assert row.module
        assert row.used is not None
        assert row.used.role
        assert row.created is not None
        assert row.created.line
        assert len(row.grad_at_step) == cut.steps
        if row.verdict == "trains":
            assert all(row.grad_norm)
            assert all(row.grad_at_step)
            assert all(ratio and ratio > 0 for ratio in row.update_ratio)
        else:
            assert row.grad_at_step == (None,) * cut.steps
            assert not any(row.update_ratio)


def test_the_way_of_a_stopped_parameter_breaks_at_the_cause(cut: Report) -> None:
    (finding,) = [f for f in cut.loud() if f.rule == "detached-path"]
    for name in finding.parameters:
        stations = way(cut, name)
        broken = [one for one in stations if one.state == "cut"]
        assert [one.line for one in broken] == [finding.causes[0].line]
        before = stations[: stations.index(broken[0])]
        assert not any(one.grad_fn for one in before), "backward never came there"
        assert stations[-1].label == "cross_entropy"
        assert stations[-1].grad_fn
    assert [step.label for step in finding.path] == [one.label for one in way(cut, finding.parameters[0])]


def test_the_way_of_a_parameter_that_trains_is_the_gradients(cut: Report) -> None:
    for row in cut.parameters:
        if row.verdict == "trains":
            stations = way(cut, row.fqn)
            assert stations
            assert all(one.state == "ok" and one.grad_fn for one in stations)
            assert all(one.gradient and one.gradient > 0 for one in stations[:-1])


# --open


def test_open_writes_the_page_and_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    monkeypatch.setenv("BROWSER", "some")
    monkeypatch.chdir(tmp_path)
    saved = str(FIXTURES / "golden" / "report.json")
    assert main(["report", "--open", saved]) == 1
    page = tmp_path / "whygrad-report.html"
    assert opened == [page.as_uri()]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert str(page) in capsys.readouterr().err
    assert main(["report", "--open", "--output", "other.html", "--fail-on", "never", saved]) == 0
    assert opened[1:] == [(tmp_path / "other.html").as_uri()]


def test_open_shows_html_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--open", "--format", "json"]) == 2
    assert "--open shows the report as html, not as json" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", ["no screen", "none", "raises"])
def test_without_a_browser_it_says_where_the_page_is(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(url: str) -> bool:
        assert how != "no screen", "a browser was asked for"
        if how == "raises":
            raise webbrowser.Error("no")
        return False

    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    if how == "no screen":
        monkeypatch.setattr(opening.sys, "platform", "linux")
    else:
        monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", fails)
    said: list[str] = []
    opening.show(Path("/tmp/x/report.html"), said.append)
    assert "/tmp/x/report.html" in said[0]
