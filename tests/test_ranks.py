"""What several ranks need beside their launch: joined traces and findings, the board, and when a rank is ended."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from whygrad.diagnose import diagnose
from whygrad.finding import Finding, ParameterVerdict, Site
from whygrad.ranks.gathering import gather
from whygrad.ranks.job import Folder, Messages, Place, State, Where, place
from whygrad.ranks.joining import join_findings, join_rows
from whygrad.ranks.member import Member, membership
from whygrad.ranks.stalling import decide
from whygrad.rules.ranks_wait_for_each_other import check
from whygrad.trace import Frame, Learning, Optimizer, Raised, Standing, Trace, load, merge, save


def trace(rank: int, ended: str = "steps", steps: int = 4, **more: Any) -> Trace:
    """What one rank saw: nothing but a loop that stepped at ``train.py:41``."""
    optimizer = Optimizer("SGD", "optimizer", -1, 0, (), steps)
    environment: dict[str, str | int] = {"world_size": 2, "rank": rank, "torch": "2.13"}
    frames = (Frame("train.py", 41, "train", "loss.backward()", 41, False),)
    return Trace(
        "train.py", (), environment, ended, 1.0 + rank, frames, ((0,),), optimizers=(optimizer,), **more
    )


def waiting(call: str = "all_reduce", seconds: float = 30.0) -> Learning:
    return Learning(standing=Standing(call, 0, seconds, True))


# -- joined traces and findings ------------------------------------------------------------------------


def test_merged_traces_are_those_of_the_ranks_in_their_order() -> None:
    joined = merge(
        [trace(1, problems=("seen on both", "only here")), trace(0, problems=("seen on both",))], 3
    )
    assert [one.rank for one in joined.ranks] == [0, 1]
    assert all(one.ranks == () for one in joined.ranks)
    assert joined.environment["world_size"] == 3
    assert "rank" not in joined.environment
    assert joined.seconds == 2.0
    assert joined.problems == ("seen on both", "only here (on rank 1)")
    with pytest.raises(ValueError, match="no trace"):
        merge([])


def test_a_merged_trace_is_a_record_like_any_other(tmp_path: Path) -> None:
    joined = merge([trace(0), trace(1)])
    save(joined, tmp_path / "joined.whygrad")
    assert load(tmp_path / "joined.whygrad") == joined
    report = diagnose(joined)
    assert report.environment["world_size"] == 2
    assert report.steps == 4


def finding(line: int = 3, severity: Any = "error", parameters: tuple[str, ...] = ("a",)) -> Finding:
    return Finding("rule", severity, f"at {line}", parameters, causes=(Site("m.py", line),))


def test_equal_findings_become_one_with_its_ranks_and_the_worst_severity() -> None:
    found = join_findings({0: [finding(severity="warning")], 1: [finding(), finding(9)], 3: [finding()]})
    assert [(f.causes[0].line, f.severity, f.ranks) for f in found] == [
        (3, "error", (0, 1, 3)),
        (9, "error", (1,)),
    ]
    other = join_findings({0: [finding()], 1: [finding(parameters=("b",))]})
    assert [f.ranks for f in other] == [(0,), (1,)]


def row(name: str, verdict: str, link: int | None = None) -> ParameterVerdict:
    return ParameterVerdict(name, (2,), "float32", True, "SGD", 0, 0.1, verdict, link, (), None)


def test_a_parameter_has_the_verdict_of_the_rank_on_which_it_fails() -> None:
    first = [row("a", "trains"), row("a", "trains"), row("b", "not judged")]
    second = [row("a", "trains"), row("a", "used", 3), row("b", "trains"), row("c", "trains")]
    joined = join_rows([first, second])
    assert [(r.fqn, r.verdict) for r in joined] == [
        ("a", "trains"),
        ("a", "used"),
        ("b", "trains"),
        ("c", "trains"),
    ]


# -- when a rank is ended ------------------------------------------------------------------------------

WAITS = Where("train.py", 41, "dist.barrier()", "barrier", 20.0, True)
WORKS = Where("train.py", 7, "clean(texts)", "", 20.0)


def state(where: Where = WAITS, ended: str = "", **more: Any) -> State:
    import msgspec

    return State(1, 1, 4, msgspec.structs.replace(where, **more), ended)


@pytest.mark.parametrize(
    ("own", "others", "decision"),
    [
        (state(), [state()], "hung"),  # all wait
        (state(), [state(seconds=4.0)], "hung"),
        (state(), [state(seconds=1.0)], ""),  # it has only just come there
        (state(seconds=9.0), [state()], ""),  # not long enough
        (state(), [state(WORKS)], ""),  # one works: it may take as long as it needs
        (state(seconds=1000.0), [state(WORKS, seconds=3.0)], ""),
        (state(seconds=1000.0), [state(WORKS, seconds=1000.0)], "hung"),  # but not stand still for ever
        (state(), [state(), state(WORKS)], ""),
        (state(), [None], ""),  # one has not begun yet
        (state(seconds=4.0), [state(ended="end")], "hung"),  # one is over, and will never come
        (state(seconds=4.0), [state(ended="raised")], "hung"),
        (state(seconds=4.0), [state(ended="steps")], "stopped"),  # one has seen enough
        (state(seconds=1.0), [state(ended="steps")], ""),
        (state(WORKS), [state(ended="steps")], ""),  # it lags behind
        (state(WORKS), [state(ended="end")], ""),
    ],
)
def test_what_becomes_of_a_rank_that_waits(own: State, others: list[State | None], decision: str) -> None:
    assert decide(own, others, hang=10.0, elapsed=60.0, alone=0.0) == decision


def test_a_rank_that_never_steps_is_given_half_of_the_run_again() -> None:
    others = [state(ended="steps")]
    assert decide(state(WORKS), others, 10.0, elapsed=100.0, alone=49.0) == ""
    assert decide(state(WORKS), others, 10.0, elapsed=100.0, alone=51.0) == "stopped"
    assert decide(state(WORKS), others, 10.0, elapsed=10.0, alone=29.0) == ""


# -- what is told of a hang ----------------------------------------------------------------------------


def told(*ranks: Trace) -> list[Finding]:
    from whygrad.graph import Graph

    return list(check(Graph(merge(ranks))))


def test_every_rank_of_a_hang_is_put_beside_the_others() -> None:
    (found,) = told(trace(0, "hung", learning=waiting()), trace(1, "end", steps=12))
    assert (
        found.title
        == "rank 0 waits in all_reduce at train.py:41; rank 1 has ended its script after 0 backward passes"
    )
    assert found.severity == "error"
    assert found.ranks == (0,)
    assert (
        found.evidence["rank 0"] == "waits in all_reduce at train.py:41 for 30 s; 4 steps, 0 backward passes"
    )


def test_many_ranks_that_wait_in_one_place_are_told_together() -> None:
    (found,) = told(
        *(trace(r, "hung", learning=waiting()) for r in range(6)),
        trace(6, "hung", learning=waiting("barrier")),
    )
    assert found.title == (
        "ranks 0, 1, 2, 3 and 2 more wait in all_reduce at train.py:41; rank 6 waits in barrier at train.py:41"
    )


def test_a_rank_that_was_ended_because_others_had_seen_enough_is_no_hang() -> None:
    assert told(trace(0), trace(1, "stopped", learning=waiting())) == []


@pytest.mark.parametrize(
    ("message", "hangs"),
    [("[../gloo/pair.cc] Connection closed by peer [127.0.0.1]:1", True), ("shape mismatch", False)],
)
def test_an_exception_is_a_hang_only_where_another_rank_was_lost(message: str, hangs: bool) -> None:
    raised = Raised("RuntimeError", message, 0, "backward", 0, ())
    assert bool(told(trace(0, "raised", raised=raised), trace(1, "end"))) is hangs


def test_an_exception_of_a_ranks_own_goes_before_those_that_wait_for_it() -> None:
    raised = Raised("ValueError", "no such file", 0, "", -1, ())
    assert told(trace(0, "hung", learning=waiting()), trace(1, "raised", raised=raised)) == []


# -- the board -----------------------------------------------------------------------------------------


def test_a_folder_keeps_the_last_message_of_each_name(tmp_path: Path) -> None:
    said = Messages(Folder(tmp_path / "job"))
    assert said.board.closed()
    said.say_joined()  # nobody is there to be told: no error
    (tmp_path / "job").mkdir()
    assert not said.board.closed()
    assert (said.state(0), said.trace(0), said.refusal(0), said.joined()) == (None, None, "", False)
    said.say_state(0, state())
    said.say_state(0, state(ended="end"))
    said.say_trace(0, trace(0))
    said.refuse(1, "There is no file.")
    said.say_joined()
    assert said.state(0) == state(ended="end")
    assert said.trace(0) == trace(0)
    assert (said.refusal(1), said.joined()) == ("There is no file.", True)
    for name in ("state-0", "trace-0"):
        (tmp_path / "job" / name).write_bytes(b"\x81 nothing of ours")
    assert (said.state(0), said.trace(0)) == (None, None)


def test_gathering_waits_for_all_and_says_who_is_missing(tmp_path: Path) -> None:
    said = Messages(Folder(tmp_path))
    said.say_trace(0, trace(0))
    said.say_state(0, state(ended="steps"))
    said.say_trace(1, trace(1, "running", steps=8))
    said.say_state(1, state())

    def late() -> None:
        time.sleep(0.3)
        said.say_trace(1, trace(1))
        said.say_state(1, state(ended="steps"))

    thread = threading.Thread(target=late)
    thread.start()
    joined = gather(said, 2)
    thread.join()
    assert joined is not None
    assert [(one.rank, one.ended) for one in joined.ranks] == [(0, "steps"), (1, "steps")]
    assert joined.problems == ()
    said.say_trace(1, trace(1, "running", steps=8))
    said.say_state(1, state())
    joined = gather(said, 3, going=lambda: False, why=lambda: {1: "was killed (SIGKILL)"})
    assert joined is not None
    assert joined.problems == (
        "Rank 1 was killed (SIGKILL): what is told of it was seen up to its step 8",
        "Rank 2 is missing: it gave no sign of life any more before anything was seen of it",
    )
    assert gather(Messages(Folder(tmp_path / "nobody")), 2, going=lambda: False) is None


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, None),
        ({"RANK": "0"}, None),
        ({"RANK": "0", "WORLD_SIZE": "1"}, None),
        ({"RANK": "1", "WORLD_SIZE": "4"}, Place(1, 4)),
        ({"RANK": "4", "WORLD_SIZE": "4"}, None),
        ({"RANK": "x", "WORLD_SIZE": "4"}, None),
    ],
)
def test_a_place_is_read_from_the_environment(environment: dict[str, str], found: Place | None) -> None:
    assert place(environment) == found


def test_only_ranks_that_can_be_joined_are_members(tmp_path: Path) -> None:
    rank = {"RANK": "0", "WORLD_SIZE": "2"}
    assert membership(60, {}) == (None, "")
    member, sentence = membership(60, dict(rank))
    assert member is None
    assert sentence.startswith("this is the report of rank 0 of 2 alone")
    environment = {**rank, "WHYGRAD_JOB": str(tmp_path)}
    member, _ = membership(60, environment)
    assert member is not None
    assert not member.joins
    assert environment == rank  # the script's own processes are no members
    torchrun = {**rank, "TORCHELASTIC_RUN_ID": "x", "TORCHELASTIC_USE_AGENT_STORE": "True"}
    member, _ = membership(60, torchrun)
    assert member is not None
    assert member.joins


def test_rank_0_tells_of_itself_where_the_others_cannot_be_reached() -> None:
    member = Member(Place(0, 2), lambda: None, True, 60.0)
    joined = member.hand_over(trace(0))
    assert joined is not None
    assert [one.rank for one in joined.ranks] == [0]
    assert joined.environment["world_size"] == 2
    assert Member(Place(1, 2), lambda: None, False, 60.0).hand_over(trace(1)) is None


def test_a_rank_hands_its_trace_over_and_waits_until_the_report_is_made(tmp_path: Path) -> None:
    board = Folder(tmp_path)
    said, member = Messages(board), Member(Place(1, 2), lambda: board, False, 60.0)
    member.start(lambda: WAITS, lambda decision: None)
    until = time.monotonic() + 20
    while said.state(1) is None and time.monotonic() < until:
        time.sleep(0.05)
    first = said.state(1)
    assert first is not None
    assert (first.where, first.ended) == (WAITS, "")
    member.checkpoint(trace(1, "running"))
    assert said.trace(1) == trace(1, "running")
    over = threading.Thread(target=lambda: member.hand_over(trace(1)))
    over.start()
    while not (state_now := said.state(1)) or not state_now.ended:
        time.sleep(0.05)
    assert over.is_alive()
    assert said.trace(1) == trace(1)
    said.say_joined()
    over.join(20)
    assert not over.is_alive()


def test_a_rank_that_waits_for_what_never_comes_is_ended(tmp_path: Path) -> None:
    board = Folder(tmp_path)
    Messages(board).say_state(0, state(ended="end"))
    ended: queue.Queue[str] = queue.Queue()
    Member(Place(1, 2), lambda: board, False, 60.0).start(lambda: WAITS, ended.put)
    assert ended.get(timeout=20) == "hung"
