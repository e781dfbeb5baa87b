"""Proof by intervention: with the cause taken away, the parameters train; with another line taken away, they do not."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import msgspec
import pytest
from cases_runner import Case, run_case
from conftest import Launch

from whygrad import interventions as package
from whygrad.finding import Finding, Site
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, Place, read
from whygrad.proving.prove import interventions, prove
from whygrad.trace import Trace

CASES = Path(__file__).parent / "cases"
SLUGS = [
    m.name.replace("_", "-") for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")
]


def proved(script: Path) -> tuple[Case, Finding]:
    """A case with its first loud finding proved in this process."""
    first = run_case(script)

    def rerun(change: Intervention) -> Trace | str:
        return run_case(script, intervention=change).graph.trace

    report = prove(first.report, first.graph.trace, rerun, lambda line: None)
    rule = first.loud[0].rule
    return first, next(f for f in report.findings if f.rule == rule)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_true_cause_is_refuted_and_each_kind_is_proved(slug: str) -> None:
    """No bug of a rule that has an intervention is refuted; one at least is proved, and on it the parameters change (or
    the loss does, where they trained before)."""
    states = {}
    for script in sorted((CASES / slug).glob("bug_*.py")):
        _, finding = proved(script)
        states[script.stem] = finding.proof
        assert finding.proof.state in ("proved", "not-possible"), (script.stem, finding.proof.text)
        assert finding.severity != "note", script.stem
    texts = [proof.text for proof in states.values() if proof.state == "proved"]
    assert texts, states
    assert all("changed" in text or "loss" in text for text in texts)
    assert not any("did not change" in text for text in texts)


def test_every_intervention_is_named_after_a_rule() -> None:
    rules = {m.name for m in pkgutil.iter_modules(importlib.import_module("whygrad.rules").__path__)}
    assert {s.replace("-", "_") for s in SLUGS} <= rules


def test_a_wrong_cause_is_refuted_and_becomes_a_note(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BUG.format(extra="shown = loss.detach()"))
    first = run_case(script)
    line = len(script.read_text().rstrip().splitlines())
    wrong = msgspec.structs.replace(first.loud[0], causes=(Site(script.name, line, role="cut"),))
    report = msgspec.structs.replace(first.report, findings=(wrong,))
    after = prove(
        report, first.graph.trace, lambda c: run_case(script, intervention=c).graph.trace, lambda line: None
    )
    assert [(f.severity, f.proof.state) for f in after.findings] == [("note", "refuted")]
    assert after.verdict != "does-not-train"


def test_a_run_that_fails_for_a_reason_of_its_own_refutes_nothing() -> None:
    script = next(iter(sorted((CASES / "detached-path").glob("bug_features*.py"))))
    first = run_case(script)
    after = prove(first.report, first.graph.trace, lambda c: "the machine was on fire", lambda line: None)
    assert [f.proof.state for f in after.findings if f.severity == "error"] == ["not-possible"]
    assert "on fire" in after.findings[0].proof.text


def test_an_intervention_survives_the_command_line() -> None:
    change = Intervention("skip", "x", (Place("a b.py", 3),), ("zero_",), ("w",), 1, 0.5)
    assert read(change.to_json()) == change


def test_a_rule_without_an_intervention_has_none() -> None:
    trace = Trace("x.py", (), {}, "end", 0.0)
    assert list(interventions(Graph(trace), Finding("unused-parameter", "warning", "x"))) == []


BUG = """
import sys, torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(30):
    loss = ((head(net(x).detach()) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {extra}
"""


@pytest.fixture
def bug(tmp_path: Path) -> Launch:
    launch = Launch(tmp_path, played=False)
    launch.write({"train.py": BUG.format(extra="pass")})
    return launch


def test_prove_on_the_command_line(bug: Launch) -> None:
    done = bug.python("-m", "whygrad", "run", "--prove", "train.py")
    assert done.returncode == 1, done.stderr
    assert "proof of detached-path: running the script again" in done.stderr
    assert "Proved" in done.stderr
    assert "instead of" in done.stderr


def test_proof_writes_none_of_the_users_files(tmp_path: Path, bug: Launch) -> None:
    script = tmp_path / "train.py"
    extra = "torch.save(net.state_dict(), 'model.pt'); open('log.txt', 'a').write(f'{step}\\n')"
    script.write_text(BUG.format(extra=extra))
    # what the first run itself leaves is the script's own doing; the proof run must add nothing to it
    plain = bug.python("-m", "whygrad", "run", "train.py")
    assert plain.returncode == 1
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    (tmp_path / "log.txt").unlink()
    done = bug.python("-m", "whygrad", "run", "--prove", "train.py")
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    assert "Proved" in done.stderr, done.stderr
    assert "the script writes" in done.stderr
    assert "model.pt" in done.stderr
    assert after == before


def test_a_proof_that_takes_too_long_is_ended(tmp_path: Path, bug: Launch) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import sys, time\nif '--intervene' in sys.orig_argv: time.sleep(60)\n" + BUG.format(extra="pass")
    )
    done = bug.python("-m", "whygrad", "run", "--prove", "--proof-timeout", "3", "train.py")
    assert "was ended after 3 s" in " ".join(done.stderr.split())
    assert done.returncode == 1


def test_what_cannot_be_redirected_is_not_done(tmp_path: Path, bug: Launch) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os\nopen('keep.txt', 'w').close()\nos.rename('keep.txt', 'kept.txt')\n"
        + BUG.format(extra="pass")
    )
    done = bug.python("-m", "whygrad", "run", "--prove", "train.py")
    assert "was not run again" in " ".join(done.stderr.split()), done.stderr
    assert (tmp_path / "kept.txt").exists()
    assert sys.version_info >= (3, 10)
