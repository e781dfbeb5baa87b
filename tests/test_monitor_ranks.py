"""``whygrad.watch`` on several gloo ranks: one record of all of them, alarms that compare them, and none that waits for another.

Processes are started once for several scenarios, and ended in any case."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from whygrad.monitor.across import COPY, LATE, SHARD, WHOLE, Held, Joiner, Message, Peer, told
from whygrad.monitor.alarms.gradients_not_synchronised import Check as NotSynchronised
from whygrad.monitor.alarms.parameters_differ_between_ranks import Check as Differ
from whygrad.monitor.history import History
from whygrad.monitor.pace import Pace
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Across, Detail, Row, Track
from whygrad.monitor.stored_report import report_of

TESTS = Path(__file__).resolve().parent
SECONDS = 300.0


class Launched:
    """What the ranks have left in a folder."""

    def __init__(self, folder: Path, world: int, *scenarios: str) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        common = {
            **os.environ, "WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
            "PYTHONPATH": str(TESTS.parent / "src"), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",
        }  # fmt: skip
        command = [sys.executable, str(TESTS / "monitor_ranks_worker.py"), str(folder), *scenarios]
        processes = [
            subprocess.Popen(
                command,
                env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in range(world)
        ]
        try:
            self.said = [process.communicate(timeout=SECONDS)[1] for process in processes]
        finally:
            for process in processes:
                process.kill()
        self.status = [process.wait(10) for process in processes]

    def answers(self, rank: int) -> dict[str, dict[str, Any]]:
        """By scenario, with ``:plain`` where it was not watched."""
        path = self.folder / f"{rank}.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [json.loads(line) for line in lines]
        return {a["scenario"] + (":plain" if a["how"] else ""): a for a in found}

    def rows(self, scenario: str) -> list[Row]:
        """All rows of the record's first track."""
        reader = Reader(self.folder / f"{scenario}.whygrad")
        try:
            return reader.rows(0)
        finally:
            reader.close()


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Launched:
    names = ("healthy", "drift", "past", "nan", "averaged", "fsdp", "tensor", "single", "alone")
    plain = ("healthy:plain", "fsdp:plain", "tensor:plain")
    launched = Launched(tmp_path_factory.mktemp("two"), 2, *names, *plain)
    assert launched.status == [0, 0], launched.said
    return launched


def test_healthy_ranks_are_silent_and_joined(two: Launched) -> None:
    answer = two.answers(0)["healthy"]
    assert answer["alarms"] == []
    assert answer["problems"] == []
    rows = two.rows("healthy")
    joined = [row for row in rows if row.across is not None and row.across.ranks == (0, 1)]
    assert [row.step for row in joined] == list(range(1, 25))
    for row in joined:
        assert row.across is not None
        assert (row.across.apart, row.across.differ) == ({}, {})
        low, high = row.across.losses
        assert low < high
        assert row.loss == pytest.approx((low + high) / 2)
    assert any(row.across.looked for row in joined if row.across is not None)


def test_every_rank_computes_the_same_bit_for_bit(two: Launched) -> None:
    for rank in (0, 1):
        answers = two.answers(rank)
        for name in ("healthy", "fsdp", "tensor"):
            assert answers[name]["computed"] == answers[f"{name}:plain"]["computed"]
            assert answers[name]["steps"] == 24


def test_parameters_that_drift_apart_are_an_alarm_once(two: Launched) -> None:
    (alarm,) = two.answers(0)["drift"]["alarms"]
    rule, step, title, parameters = alarm
    assert rule == "parameters-differ-between-ranks"
    assert parameters == ["0.weight"]
    assert 10 <= step <= 24
    assert "rank 1" in title
    assert two.answers(1)["drift"]["alarms"] == []


def test_a_model_called_past_its_wrapper_is_an_alarm(two: Launched) -> None:
    alarms = two.answers(0)["past"]["alarms"]
    assert {alarm[0] for alarm in alarms} == {"gradients-not-synchronised"}


def test_the_rank_with_the_first_nan_is_named(two: Launched) -> None:
    alarms = [a for a in two.answers(0)["nan"]["alarms"] if a[0] == "nonfinite-gradient"]
    assert alarms[0][1] == 10
    assert "the loss is not finite on rank 1 alone" in alarms[0][2]


def test_copies_that_are_averaged_now_and_then_are_left_alone(two: Launched) -> None:
    assert two.answers(0)["averaged"]["alarms"] == []


def test_a_rank_that_does_not_watch_is_not_waited_for_in_the_training(two: Launched) -> None:
    rows = two.rows("alone")
    assert len(rows) == 24
    assert all(row.across is None for row in rows)


@pytest.mark.parametrize("name", ["fsdp", "tensor"])
def test_numbers_of_sharded_parameters_are_those_of_the_whole(two: Launched, name: str) -> None:
    whole, single = two.rows(name), two.rows("single")
    assert len(whole) == len(single) == 24
    for one, other in zip(whole, single, strict=True):
        assert list(one.norms) == pytest.approx(list(other.norms), rel=2e-4)
        assert one.total() == pytest.approx(other.total(), rel=2e-4)
        for index, detail in other.details.items():
            assert one.details[index].size == pytest.approx(detail.size, rel=2e-4)
            assert one.details[index].ratio == pytest.approx(detail.ratio, rel=2e-3)
            assert one.details[index].zero == pytest.approx(detail.zero, abs=1e-6)
    report = report_of(two.folder / f"{name}.whygrad")
    assert report.environment["world_size"] == 2
    assert "rank" not in report.environment
    shapes = {row.fqn: row.shape for row in report.parameters}
    assert shapes == {"0.weight": (14, 8), "0.bias": (14,), "2.weight": (4, 14), "2.bias": (4,)}
    assert {row.verdict for row in report.parameters} == {"trains"}
    assert two.answers(0)[name]["alarms"] == []


def test_four_ranks_are_joined(tmp_path: Path) -> None:
    four = Launched(tmp_path, 4, "healthy", "drift", "fsdp", "single")
    assert four.status == [0, 0, 0, 0], four.said
    assert four.answers(0)["healthy"]["alarms"] == []
    assert [alarm[0] for alarm in four.answers(0)["drift"]["alarms"]] == ["parameters-differ-between-ranks"]
    for one, other in zip(four.rows("fsdp"), four.rows("single"), strict=True):
        assert one.across is not None
        assert one.across.ranks == (0, 1, 2, 3)
        assert list(one.norms) == pytest.approx(list(other.norms), rel=2e-4)


@pytest.mark.parametrize("how", ["early", "killed"])
def test_a_rank_that_is_gone_is_not_waited_for(tmp_path: Path, how: str) -> None:
    launched = Launched(tmp_path, 2, how)
    assert launched.status[0] == 0, launched.said
    assert launched.answers(0)[how]["steps"] == 24
    rows = launched.rows(how)
    assert [row.step for row in rows] == list(range(1, 25))
    assert "whygrad failed" not in launched.said[0]


# -- without processes -------------------------------------------------------------------------------


def test_ranks_of_different_cadence_meet() -> None:
    fast, slow = Pace(), Pace()
    fast.every, slow.wished, slow.every = 4, 1, 11
    steps, step = [], 1
    while (step := slow.next(step)) < 100:
        steps.append(step)
    assert steps == list(range(16, 100, 16))
    assert all(fast.next(step - 1) == step for step in steps)
    fast.wished = slow.every
    assert fast.next(5) == 16


def test_a_fixed_cadence_is_kept() -> None:
    pace = Pace(50)
    pace.wished = 64
    assert [pace.next(1), pace.next(50), pace.next(60)] == [50, 100, 100]


def test_checksums_are_taken_as_rarely_as_their_cost_asks() -> None:
    pace = Pace(1)
    for step in range(1, 8):
        pace.measured(step, float(step), 0.0)
    for _ in range(3):
        pace.looked(0.05)
    # 0.05 s are 0.2 % of 25 steps of a second
    assert 25 <= pace.looks <= 32
    assert pace.look_at(1)
    assert [step for step in range(2, 100) if pace.look_at(step)] == [32, 64, 96]


TRACK = Track(0, "SGD", ("a", "b"), ((4,), (2, 3)), ("float32",) * 2, (0, 0))


def held(kinds: tuple[int, int], group: tuple[int, ...] = ()) -> Held:
    return Held("SGD", TRACK.names, kinds, (4, 6), ((4,), (4, 3)), group)


def peer_with(kinds: tuple[int, int], *rows: Row) -> Peer:
    peer = Peer()
    peer.held[0] = held(kinds)
    peer.take(Message(0, [told(row) for row in rows]))
    return peer


def test_copies_of_a_part_are_counted_once() -> None:
    rows = [Row(0, 1, 0.0, [1.0, n], {1: Detail(0.5, 0.1, None, None, 2.0)}) for n in (3.0, 4.0, 3.0)]
    peers = {1: peer_with((WHOLE, SHARD), rows[1]), 2: peer_with((WHOLE, COPY), rows[2])}
    joiner = Joiner(0, peers)
    joiner.add(TRACK, held((WHOLE, SHARD)), rows[0])
    ((_, row),) = joiner.ready()
    assert list(row.norms) == [1.0, 5.0]
    assert row.details[1].size == pytest.approx(math.sqrt(8))
    assert row.details[1].ratio == pytest.approx(0.1)
    assert row.details[1].zero == pytest.approx(0.5)


def test_a_part_that_is_missing_leaves_the_whole_unseen() -> None:
    first = Row(0, 1, 0.0, [1.0, 4.0])
    peer = peer_with((WHOLE, SHARD), first)
    joiner = Joiner(0, {1: peer})
    joiner.add(TRACK, held((WHOLE, SHARD)), Row(0, 1, 0.0, [1.0, 3.0]))
    joiner.add(TRACK, held((WHOLE, SHARD)), Row(0, 2, 0.0, [1.0, 3.0]))
    assert [list(row.norms) for _, row in joiner.ready(LATE)] == [[1.0, 5.0]]
    assert len(joiner) == 1  # it still waits
    assert [list(row.norms) for _, row in joiner.ready(0.0)] == [[1.0, -2.0]]


def looked(step: int, apart: bool, differ: bool, replicas: tuple[int, ...] = (0, 1)) -> Row:
    row = Row(0, step, 0.0, [1.0, 1.0])
    row.across = Across(
        (0, 1), looked=True, apart={0: (1,)} if apart else {}, differ={0: (1,)} if differ else {}, replicas=replicas
    )  # fmt: skip
    return row


def rules(rows: list[Row]) -> list[str]:
    history = History(TRACK)
    checks = (Differ(history), NotSynchronised(history))
    return sorted({alarm.rule for row in rows for check in checks for alarm in check.look(row)})


def test_models_of_their_own_are_left_alone() -> None:
    assert rules([looked(step, apart=True, differ=True, replicas=()) for step in range(1, 9)]) == []
    # alike at first, and gradients of their own since: local SGD, or an ensemble
    parted = [looked(step, apart=step > 1, differ=step > 1, replicas=()) for step in range(1, 9)]
    assert rules(parted) == []


def test_what_was_alike_and_gets_the_same_gradients_must_stay_alike() -> None:
    parted = [looked(step, apart=step > 1, differ=False, replicas=()) for step in range(1, 9)]
    assert rules(parted) == ["parameters-differ-between-ranks"]
    assert rules(parted[:2]) == []  # once is not enough
    never = [looked(step, apart=True, differ=False, replicas=()) for step in range(1, 9)]
    assert rules(never) == []
    assert rules([looked(step, apart=True, differ=False) for step in (1, 2)]) == [
        "parameters-differ-between-ranks"
    ]
    assert rules([looked(step, apart=True, differ=True) for step in (1, 2)]) == ["gradients-not-synchronised"]
