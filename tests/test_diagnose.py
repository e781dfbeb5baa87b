"""What diagnose makes of findings, verdicts and numbers; the rules and the graph are stand-ins."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from whygrad import diagnose as module
from whygrad import merging, parameters
from whygrad.diagnose import diagnose, load_rules
from whygrad.finding import LINKS, Finding, Site, Step
from whygrad.trace import (
    Backward,
    Edge,
    Event,
    Group,
    LeafGrad,
    Node,
    Op,
    OpKind,
    Optimizer,
    Param,
    Raised,
    StepParam,
    Trace,
    Value,
)
from whygrad.trace import Step as OptimizerStep

TRAINS = (None, "trains")
CUT = (5, LINKS[5])

#: Two layers; the encoder is twelve times as large as the head.
SHAPES = {"encoder.weight": (6, 4), "encoder.bias": (6,), "head.weight": (2,), "head.bias": (1,)}


def param(fqn: str, shape: tuple[int, ...], **changes: Any) -> Param:
    base = Param(fqn, "parameter", "model", "Linear", shape, "float32", True, True, True, first=(2.0, 1.0))
    return msgspec.structs.replace(base, **changes)


def make_trace(**changes: Any) -> Trace:
    """Two steps, in which every parameter has a gradient and moves by 0.1 and 0.3 (its norm is 2)."""
    params = tuple(param(fqn, shape, value=i) for i, (fqn, shape) in enumerate(SHAPES.items()))
    every = tuple(range(len(params)))

    def grads(norm: float) -> tuple[LeafGrad, ...]:
        return tuple(LeafGrad(i, norm, norm) for i in every)

    def step(tick: int, lr: float, update: float, norm: float) -> OptimizerStep:
        moved = tuple(StepParam(i, 1.0, update, norm, 1, 2) for i in every)
        return OptimizerStep(tick, 0, -1, (lr,), moved)

    trace = Trace(
        script="train.py",
        argv=(),
        environment={"python": "3.11", "torch": "2.13", "whygrad": "0.1", "world_size": 1},
        ended="steps",
        seconds=1.5,
        frames=(),
        stacks=(),
        params=params,
        optimizers=(Optimizer("Adam", "optimizer", -1, 0, (Group(every, 0.1),), steps=2),),
        kinds=(OpKind("linear", -1, {}),),
        ops=(),
        values=tuple(Value(-1, p.shape, "float32", True, param=i) for i, p in enumerate(params)),
        backwards=(
            Backward(1, "backward", 0, (), 2.0, every, grads(0.5)),
            Backward(3, "backward", 0, (), 1.0, every, grads(0.4)),
        ),
        steps=(step(2, 0.1, 0.1, 2.0), step(4, 0.05, 0.3, 2.1)),
        events=(),
    )
    return msgspec.structs.replace(trace, **changes)


def find(
    rule: str = "r", *names: str, severity: str = "error", link: int = 5, line: int = 1, **more: Any
) -> Finding:
    causes = (Site("model.py", line),) if line else ()
    return Finding(rule, severity, f"{rule} at {line}", names, link, causes, **more)  # type: ignore[arg-type]


@pytest.fixture
def use_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a package of rules, given as file name and body, in the place of the real one."""

    def use(**sources: str) -> None:
        name = f"rules_{tmp_path.name.replace('-', '_')}"
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for file, source in sources.items():
            (folder / f"{file}.py").write_text('"""A rule."""\n' + textwrap.dedent(source))
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(module, "RULES", name)

    yield use  # type: ignore[misc]
    for name in [name for name in sys.modules if name.startswith("rules_test_")]:
        del sys.modules[name]


@pytest.fixture
def use_verdicts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets the graph give these verdicts."""

    def use(*verdicts: tuple[int | None, str]) -> None:
        monkeypatch.setattr(module.Graph, "verdicts", lambda graph: list(verdicts))

    use(*[TRAINS] * len(SHAPES))
    return use


YIELDS = """
    from whygrad.finding import Finding, Site

    def check(graph):
        yield Finding("", "{severity}", "{title}", ({names},), {link}, (Site("model.py", {line}),))
"""


def rule(names: str, severity: str = "error", title: str = "bad", link: int = 5, line: int = 1) -> str:
    return YIELDS.format(severity=severity, title=title, link=link, line=line, names=names)


# merging


def test_findings_of_one_rule_and_place_become_one() -> None:
    first = find("cut", "a", evidence={"grad_norm": None}, path=())
    second = find(
        "cut", "b", "a", evidence={"grad_norm": 1.0, "steps": 3}, fix="Mend it.", path=(Step("x", "f", 1),)
    )
    (one,) = merging.merge([first, second])
    assert one.parameters == ("a", "b")
    assert one.evidence == {"grad_norm": None, "steps": 3}
    assert list(one.evidence) == ["grad_norm", "steps"]
    assert one.fix == "Mend it."
    assert one.path
    assert one.causes == (Site("model.py", 1),)


def test_merging_counts_anew() -> None:
    one = [
        msgspec.structs.replace(find("cut", name), title="1 of 9 parameters get no gradient") for name in "ab"
    ]
    assert merging.merge(one)[0].title == "2 of 9 parameters get no gradient"


@pytest.mark.parametrize(
    "other",
    [
        find("other", "b"),
        find("cut", "b", line=2),
        find("cut", "b", severity="note"),
        find("cut", "b", line=0),
    ],
    ids=["rule", "line", "severity", "no place"],
)
def test_different_findings_stay_apart(other: Finding) -> None:
    assert len(merging.merge([find("cut", "a"), other])) == 2


# dropping


def test_a_later_link_is_explained_by_an_earlier_one() -> None:
    kept = merging.drop_consequences([find("late", "a", link=8), find("early", "a", "b", link=5, line=2)])
    assert [f.rule for f in kept] == ["early"]
    assert len(kept[0].causes) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (find("early", "a", link=5), find("late", "a", "b", link=8, line=2)),
        (find("early", "a", link=5), find("about-the-run", link=8, line=2)),
        (find("two-cuts", "a", line=1), find("two-cuts", "a", line=2)),
        (find("softmax", "a", link=10), find("broadcast", "a", link=10, line=2)),
        (find("softmax", "a", link=10), find("dead", "a", severity="warning", link=6, line=2)),
        (find("loud", "a", link=0), find("cut", "a", link=5, line=2)),
    ],
    ids=["one more parameter", "no parameters", "two cuts", "two wrong things", "learns wrong", "no link"],
)
def test_what_is_not_explained_stays(first: Finding, second: Finding) -> None:
    assert len(merging.drop_consequences([first, second])) == 2
    assert len(merging.drop_consequences([second, first])) == 2


def test_at_the_same_link_the_second_place_is_kept_as_a_cause() -> None:
    (kept,) = merging.drop_consequences(
        [find("stale", "a", "b", link=8), find("unheld", "a", link=8, line=7)]
    )
    assert kept.rule == "stale"
    assert [site.line for site in kept.causes] == [1, 7]


def test_an_error_explains_a_warning() -> None:
    kept = merging.drop_consequences(
        [find("weak", "a", severity="warning", link=6), find("cut", "a", line=2)]
    )
    assert [f.rule for f in kept] == ["cut"]


def test_a_note_explains_no_error() -> None:
    kept = merging.drop_consequences([find("hint", "a", severity="note", link=2), find("cut", "a", line=2)])
    assert [f.rule for f in kept] == ["cut"]


# order


def test_order_is_severity_then_size_then_place() -> None:
    sizes = {"big": 100, "huge": 200, "small": 1, "other": 1}
    findings = [
        find("n", "huge", "other", severity="note", line=1),
        find("w", "small", "huge", severity="warning", link=10, line=2),
        find("e-small-late", "other", line=9),
        find("e-small", "small", line=3),
        find("e-run", link=0, line=5),
        find("e-big", "big", line=8),
    ]
    expected = ["e-run", "e-big", "e-small", "e-small-late", "w", "n"]
    assert [f.rule for f in merging.tidy(findings, sizes)] == expected
    assert [f.rule for f in merging.tidy(findings[::-1], sizes)] == expected


# rules


def test_rules_are_found_by_walking_and_give_their_slug(use_rules: Any, use_verdicts: Any) -> None:
    use_rules(cut_path=rule("'encoder.weight'"), _helper="1 / 0")
    report = diagnose(make_trace())
    assert [f.rule for f in report.findings] == ["cut-path"]
    assert report.watched["rules"] == 1
    assert report.incomplete == ()


def test_a_rule_that_fails_does_not_stop_the_others(use_rules: Any, use_verdicts: Any) -> None:
    broken = rule("'encoder.weight'") + "        raise KeyError('lost')\n"
    use_rules(a_broken=broken, b_fine=rule("'head.bias'", line=2))
    report = diagnose(make_trace())
    assert [f.rule for f in report.findings] == ["a-broken", "b-fine"], (
        "what was found before the failure counts"
    )
    (sentence,) = report.incomplete
    assert "a-broken failed (KeyError: 'lost' at a_broken.py:" in sentence


@pytest.mark.parametrize("source", ["import no_such_package", "def chek(graph): ...", "syntax error"])
def test_a_rule_that_cannot_be_loaded_is_named(source: str, use_rules: Any, use_verdicts: Any) -> None:
    use_rules(bad=source, good=rule("'head.bias'"))
    report = diagnose(make_trace())
    assert [f.rule for f in report.findings] == ["good"]
    assert len(report.incomplete) == 1
    assert "bad could not be loaded" in report.incomplete[0]
    modules, failed = load_rules()
    assert (list(modules), list(failed)) == (["good"], ["bad"])


@pytest.mark.parametrize(
    "value", ["'not a finding'", "Finding('', 'fatal', 't')", "Finding('', 'error', 't', link='5')"]
)
def test_a_finding_that_breaks_the_contract_is_a_failure(
    value: str, use_rules: Any, use_verdicts: Any
) -> None:
    use_rules(wrong=f"from whygrad.finding import Finding\ndef check(graph):\n    yield {value}\n")
    report = diagnose(make_trace())
    assert report.findings == ()
    assert "wrong failed" in report.incomplete[0]


def test_select_and_ignore(use_rules: Any, use_verdicts: Any) -> None:
    use_rules(one_rule=rule("'head.bias'"), two_rule=rule("'encoder.bias'"), three_rule="oops(")
    trace = make_trace()

    def found(**chosen: Any) -> set[str]:
        return {f.rule for f in diagnose(trace, **chosen).findings}

    assert found() == {"one-rule", "two-rule"}
    assert found(select=["one-rule"]) == {"one-rule"}
    assert found(ignore=["one-rule"]) == {"two-rule"}
    assert found(select=["one-rule"], ignore=["one-rule"]) == set()
    assert diagnose(trace, select=["one-rule"]).incomplete == (), "a rule not asked for need not load"
    assert "no rule called onerule" in diagnose(trace, ignore=["onerule"]).incomplete[0]


# verdict


def test_verdicts_by_severity(use_rules: Any, use_verdicts: Any) -> None:
    use_rules(
        an_error=rule("'head.bias'"),
        a_warning=rule("'head.weight'", severity="warning", line=2),
        a_note=rule("'head.weight'", severity="note", line=3),
    )
    trace = make_trace()
    assert diagnose(trace).verdict == "does-not-train"
    assert diagnose(trace, ignore=["an-error"]).verdict == "suspect"
    assert diagnose(trace, select=["a-note"]).verdict == "trains"


def test_nothing_seen_is_never_called_healthy(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    empty = make_trace(
        params=(), backwards=(), steps=(), optimizers=(), problems=("torch was never imported.",)
    )
    use_verdicts()
    report = diagnose(empty)
    assert report.verdict == "incomplete"
    assert report.incomplete == (
        "No backward pass and no optimizer step was seen.",
        "torch was never imported.",
    )
    assert report.cost is None
    assert report.parameters == ()


def test_no_parameter_that_trains_is_incomplete_too(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    use_verdicts(*[(2, "frozen")] * 4)
    assert diagnose(make_trace()).verdict == "incomplete"


def test_failing_verdicts_keep_the_findings(
    use_rules: Any, use_verdicts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_rules(cut_path=rule("'head.bias'"))
    monkeypatch.setattr(module.Graph, "verdicts", lambda graph: 1 / 0)
    report = diagnose(make_trace())
    assert report.verdict == "does-not-train"
    assert {row.verdict for row in report.parameters} == {"not judged"}
    assert "ZeroDivisionError" in report.incomplete[0]


# the report's numbers


def test_report_of_a_healthy_run(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    report = diagnose(make_trace(seen_ops=40))
    assert (report.verdict, report.steps, report.backwards, report.ended) == ("trains", 2, 2, "steps")
    assert report.losses == (2.0, 1.0)
    assert report.watched == {
        "parameters": 4,
        "operations": 40,
        "backwards": 2,
        "steps": 2,
        "optimizers": 1,
        "rules": 0,
    }
    assert report.cost is not None
    assert (report.cost.parameters, report.cost.time) == (0.0, 0.0)
    row = report.parameters[0]
    assert (row.fqn, row.optimizer, row.group, row.lr) == ("encoder.weight", "Adam", 0, 0.05)
    assert row.grad_norm == (0.5, 0.4)
    assert row.weight_change == pytest.approx(0.2)


def test_rows_name_their_findings_also_by_alias(use_rules: Any, use_verdicts: Any) -> None:
    use_rules(cut_path=rule("'tied', 'head.bias'"))
    use_verdicts(CUT, TRAINS, TRAINS, CUT)
    params = list(make_trace().params)
    params[0] = msgspec.structs.replace(params[0], aliases=("tied",))
    rows = diagnose(make_trace(params=tuple(params))).parameters
    assert [row.findings for row in rows] == [("cut-path",), (), (), ("cut-path",)]
    assert [row.broken_link for row in rows] == [5, None, None, 5]


def test_which_entries_are_in_the_table() -> None:
    held, named, alias, buffer, gone, reached, passing = (
        param("log_alpha", (1,), role="leaf"),
        param("queue", (1,), role="buffer"),
        param("tied", (1,), role="buffer", aliases=("other",)),
        param("running_mean", (1,), role="buffer"),
        param("trial.weight", (1,), alive=False),
        param("old.weight", (1,), alive=False),
        param("tensor", (1,), named=False),
    )
    trace = make_trace(
        params=(held, named, alias, buffer, gone, reached, passing),
        optimizers=(Optimizer("Adam", "o", -1, 0, (Group((0,)),)),),
        backwards=(Backward(1, "backward", 0, (), 1.0, (5,), ()),),
    )
    assert parameters.judged(trace, [find("r", "queue", "other")]) == [0, 1, 2, 5]


def test_gradient_norms_tell_reached_from_not_reached(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    backwards = (
        Backward(1, "backward", 0, (), 1.0, (0, 1), (LeafGrad(0, 0.5, 0.5),)),
        Backward(2, "backward", 0, (), 1.0, (1,), (LeafGrad(1, math.nan, math.nan),)),
    )
    rows = diagnose(make_trace(backwards=backwards)).parameters
    assert rows[0].grad_norm == (0.5,)
    assert rows[1].grad_norm[0] is None
    assert math.isnan(rows[1].grad_norm[1] or 0.0)
    assert rows[2].grad_norm == ()


@pytest.mark.parametrize(
    ("first", "last", "changed", "moves", "expected"),
    [
        ((2.0, 1.0), (2.5, 1.0), True, [(2.0, 0.5), (2.5, 0.5)], 0.5),
        ((0.0, 0.0), (0.5, 1.0), True, [(0.0, 0.5)], 1.0),
        ((0.0, 0.0), None, True, [(0.0, 0.5)], None),
        ((2.0, 1.0), (2.0, 1.0), False, [(2.0, 0.0)], 0.0),
        ((2.0, 1.0), (2.0, 1.0), False, [], 0.0),
        ((2.0, 1.0), (2.1, 1.0), True, [], None),
        (None, None, False, [], None),
    ],
    ids=["moved", "from zero", "unknown size", "stood still", "never stepped", "moved by hand", "never seen"],
)
def test_weight_change(
    first: Any,
    last: Any,
    changed: bool,
    moves: list[Any],
    expected: float | None,
    use_rules: Any,
    use_verdicts: Any,
) -> None:
    use_rules()
    use_verdicts(TRAINS)
    steps = tuple(
        OptimizerStep(i, 0, -1, (0.1,), (StepParam(0, 1.0, move, norm, 1, 2),))
        for i, (norm, move) in enumerate(moves)
    )
    one = param("w", (3,), first=first, last=last, changed=changed)
    trace = make_trace(params=(one,), steps=steps, backwards=make_trace().backwards[:0], optimizers=())
    assert diagnose(trace).parameters[0].weight_change == expected


def test_the_optimizer_that_steps_is_the_one_shown(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    idle = Optimizer("SGD", "idle", -1, 0, (Group((0,), 9.0),), steps=0)
    busy = Optimizer("Adam", "busy", -1, 0, (Group((1,), 1.0), Group((0,), 2.0)), steps=2)
    skipped = OptimizerStep(9, 1, -1, (7.0, 8.0), (), skipped=True)
    report = diagnose(make_trace(optimizers=(idle, busy), steps=(skipped,)))
    row = report.parameters[0]
    assert (row.optimizer, row.group, row.lr) == ("Adam", 1, 2.0)
    assert (report.parameters[2].optimizer, report.parameters[2].lr) == (None, None)


def test_losses_of_two_players_do_not_mix(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    calls = [(0, 0.7, "backward"), (1, 5.0, "backward"), (0, 0.6, "backward"), (1, 5.1, "backward")]
    calls += [(0, None, "backward"), (2, 9.0, "grad"), (2, 9.0, "grad"), (2, 9.0, "grad")]
    backwards = tuple(
        Backward(i, kind, stack, (), loss, (), ()) for i, (stack, loss, kind) in enumerate(calls)
    )
    assert diagnose(make_trace(backwards=backwards)).losses == (0.7, 0.6)


def test_losses_are_those_before_a_grad_scaler_multiplied_them(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    backwards = tuple(
        Backward(tick, "backward", 0, (), loss, (), ()) for tick, loss in ((2, 2048.0), (6, 600.0), (8, 1.0))
    )
    events = (
        Event(1, 0, "scale", -1, data={"scale": 1024.0}),
        Event(3, 0, "scaler-update", -1, data={"scale": 512.0}),
        Event(5, 0, "scale", -1, data={"scale": 512.0}),
        Event(9, 0, "scale", -1, data={"scale": None}),
    )
    losses = diagnose(make_trace(backwards=backwards, events=events)).losses
    assert losses == pytest.approx((2.0, 600 / 512, 1.0))


def test_what_ended_the_script_is_told(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    trace = make_trace(raised=Raised("RuntimeError", "no grad_fn", -1), ended="raised")
    assert diagnose(trace).raised == "RuntimeError: no grad_fn"
    assert diagnose(make_trace(raised=Raised("KeyboardInterrupt", "", -1))).raised == "KeyboardInterrupt"


# cost


def test_cost_is_that_of_parameters_which_never_train(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    use_verdicts(CUT, CUT, TRAINS, (2, "frozen"))
    ops = (
        Op(0, (0, 1), (), 0, seconds=3.0),  # the dead encoder
        Op(0, (0, 2), (), 1, seconds=1.0),  # dead and living together: not wasted
        Op(0, (), (), 2, seconds=50.0),  # no parameter in it
    )
    cost = diagnose(make_trace(ops=ops)).cost
    assert cost is not None
    assert cost.parameters == pytest.approx(30 / 33)
    assert cost.time == pytest.approx(3 / 4)


def test_cost_shares_the_backward_pass_by_operation(use_rules: Any, use_verdicts: Any) -> None:
    use_rules()
    use_verdicts(CUT, TRAINS, TRAINS, TRAINS)
    ops = (Op(0, (0,), (), 0, seconds=1.0), Op(0, (1,), (), 1, seconds=1.0), Op(0, (), (), 2, seconds=2.0))
    edge = (Edge(-1, None),)
    # the graph ends before the dead parameter's operation; one node of it did not run
    nodes = (
        Node("A", 1, edge, True),
        Node("B", 1, edge, True),
        Node("C", 2, edge, True),
        Node("D", 0, edge, False),
    )
    backward = Backward(3, "backward", 0, (), 1.0, (), (), nodes, seconds=3.0)
    cost = diagnose(make_trace(ops=ops, backwards=(backward,))).cost
    assert cost is not None
    assert cost.time == pytest.approx(1 / (1 + 1 + 1))


def test_ten_thousand_parameters_make_one_finding(use_rules: Any, use_verdicts: Any) -> None:
    use_rules(cut_path="from whygrad.finding import Finding\ndef check(graph):\n    yield Finding('', 'error', 't', "
                       "tuple(p.fqn for p in graph.trace.params), 5)\n")  # fmt: skip
    params = tuple(param(f"layers.{i}.weight", (8, 8)) for i in range(10_000))
    use_verdicts(*[CUT] * len(params))
    report = diagnose(make_trace(params=params))
    assert [len(f.parameters) for f in report.findings] == [10_000]
    assert len(report.parameters) == 10_000
