"""The store of a monitored run and the alarms, on rows that are made up: no torch."""

from __future__ import annotations

import importlib.util
import math
import random
import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from whygrad.finding import Report
from whygrad.monitor import process
from whygrad.monitor import store as stores
from whygrad.monitor.following import curve, draw, follow
from whygrad.monitor.history import History, checks
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import NO_GRADIENT, UNSEEN, Alarm, Detail, Row, Track, by_module, pack, unpack
from whygrad.monitor.state import State, in_words
from whygrad.monitor.store import Batch, Meta, Writer
from whygrad.monitor.worker import Told, Worker
from whygrad.rule_pages import module_of, page
from whygrad.running.streams import Look
from whygrad.saved import records
from whygrad.saved import reports as saved
from whygrad.trace import TraceError

ROOT = Path(__file__).resolve().parent.parent


def track(count: int = 4, shape: tuple[int, ...] = (16, 16), dtype: str = "float32") -> Track:
    names = tuple(f"layer.{i}.weight" for i in range(count))
    return Track(0, "SGD", names, (shape,) * count, (dtype,) * count, (0,) * count)


def row(step: int, norms: list[float] | None = None, **more: object) -> Row:
    return Row(0, step, 1000.0 + step, norms or [1.0, 2.0, 3.0, 4.0], **{"lrs": (0.1,), **more})


def alarms(history: History, rows: list[Row]) -> list[Alarm]:
    return [alarm for one in rows for alarm in history.add(one)]


# -- the store -------------------------------------------------------------------------------------------


def test_a_row_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = row(
        7, [1.5, NO_GRADIENT, UNSEEN, math.inf], loss=0.5, unclipped=9.0, max_norm=1.0, nonfinite={3: 2}
    )
    written.details = {2: Detail(0.25, 0.5, None, None, 4.0), 1: Detail()}
    assert unpack(*pack(written)) == (pytest.approx(written.norms), written.details)
    writer = Writer(tmp_path / "a.whygrad")
    writer.write(
        Batch(
            Meta("train.py"),
            [track()],
            [written],
            [Alarm("x", "error", 7, "t", "f", evidence={"loss": math.nan})],
        )
    )
    writer.close()
    reader = Reader(tmp_path / "a.whygrad")
    (read,) = reader.rows(0)
    assert (list(read.norms), read.details, read.loss, read.nonfinite) == (
        [1.5, -1, -2, math.inf],
        written.details,
        0.5,
        {3: 2},
    )
    assert read.clip_ratio() == pytest.approx(1 / 9)
    assert reader.tracks()[0] == track()
    assert reader.alarms()[0].evidence == {"loss": None}
    assert [(p.step, p.total) for p in reader.points()] == [(7, math.inf)]


def test_a_loss_that_is_no_number_is_told_from_one_that_was_not_given(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.whygrad")
    writer.write(Batch(Meta("train.py"), [track()], [row(1, loss=0.5), row(2, loss=math.nan), row(3)]))
    writer.close()
    assert [p.loss for p in Reader(tmp_path / "a.whygrad").points()] == [0.5, math.inf, None]
    assert math.isnan(Reader(tmp_path / "a.whygrad").rows(0)[1].loss or 0)
    assert "not finite later" in str(saved.read(tmp_path / "a.whygrad").report)


def test_old_detail_is_thinned_and_the_file_stays_within_its_bound(tmp_path: Path) -> None:
    """1,000 parameters in small: what 48 MiB are for the store is 400 kB here, and 4,000 steps instead of 10 million."""
    path = tmp_path / "a.whygrad"
    limit = 400_000
    writer = Writer(path, limit=limit, points=500)
    names = track(100)
    largest = 0
    for batch in range(40):
        rows = [row(batch * 100 + n + 1, [1.0] * 100) for n in range(100)]
        writer.write(Batch(Meta("train.py", step=batch * 100 + 100), [names], rows))
        largest = max(largest, path.stat().st_size)
    writer.close()
    assert largest < 1.3 * limit + 150_000
    reader = Reader(path)
    kept = [r.step for r in reader.rows(0)]
    assert kept[0] == 1
    assert kept[-100:] == list(range(3901, 4001)), "the newest are all there"
    gaps = [b - a for a, b in pairwise(kept)]
    assert max(gaps) > 4
    assert max(gaps) == max(gaps[: len(gaps) // 2]), "the oldest are the thinnest"
    points = reader.points()
    assert len(points) <= 500
    assert (points[0].step, points[-1].step) == (1, 4000)
    again = Writer(path, limit=limit, points=500)
    assert again._count == len(kept), "a store that is opened again goes on counting"
    again.close()


def test_the_least_number_of_rows_is_kept_however_large_they_are(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.whygrad", limit=1000, least=8)
    for step in range(1, 40):
        writer.write(Batch(Meta("train.py"), [track(500)], [row(step, [1.0] * 500)]))
    writer.close()
    assert 5 <= len(Reader(tmp_path / "a.whygrad").rows(0)) <= 9


def benchmark() -> object:
    spec = importlib.util.spec_from_file_location("monitor_benchmark", ROOT / "benchmarks" / "monitor.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_a_killed_process_leaves_all_but_the_last_batch(capfd: pytest.CaptureFixture[str]) -> None:
    """Fifty times with `python benchmarks/monitor.py --kill`."""
    benchmark().kill(6)  # type: ignore[attr-defined]
    assert "killed 6 times" in capfd.readouterr().out


def test_a_reader_does_not_disturb_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.whygrad"
    writer = Writer(path)
    writer.write(Batch(Meta("train.py"), [track()], [row(1)]))
    reader = Reader(path)
    for step in range(2, 30):
        writer.write(Batch(Meta("train.py", step=step), [], [row(step)]))
        assert len(reader.rows(0)) == step
        assert reader.meta().step == step


@pytest.mark.parametrize(
    ("content", "says"),
    [(stores.MAGIC + b"x" * 5000, "cannot be read"), (None, "No record could be read")],
)
def test_a_store_that_cannot_be_read_is_told_in_one_sentence(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "a.whygrad"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TraceError, match=says):
        Reader(path).meta()


def test_a_database_of_another_program_or_version_is_refused(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "other.db")
    base.execute("CREATE TABLE meta(key TEXT, value TEXT)")
    base.commit()
    with pytest.raises(TraceError, match="not a whygrad record"):
        Reader(tmp_path / "other.db")
    base.execute("INSERT INTO meta VALUES('format', '99')")
    base.commit()
    with pytest.raises(TraceError, match="store format 99"):
        Reader(tmp_path / "other.db")


# -- the worker: what goes wrong around it ----------------------------------------------------------------


def worker(path: Path | None, sinks: tuple[object, ...] = ()) -> Worker:
    return Worker(Meta("train.py"), path, sinks, Told(), lambda alarms: None)  # type: ignore[arg-type]


def put(to: Worker, *rows: Row, names: Track | None = None) -> None:
    to.put(SimpleNamespace(track=names or track(), rows=lambda: list(rows)))  # type: ignore[arg-type]


def test_a_locked_store_is_said_once_and_written_later(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "_WAIT", 0.01)
    path = tmp_path / "a.whygrad"
    own = worker(path)
    put(own, row(1))
    assert own.wait(5)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for step in (2, 3):
        put(own, row(step))
        assert own.wait(5)
    assert capfd.readouterr().err.count("cannot be written just now (database is locked)") == 1
    other.execute("ROLLBACK")
    put(own, row(4))
    own.end(5)
    assert [r.step for r in Reader(path).rows(0)] == [1, 2, 3, 4]


def test_a_full_disk_is_said_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's own limit on pages gives the very error of a full disk."""
    path = tmp_path / "a.whygrad"

    class Small(Writer):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            self._base.execute("PRAGMA max_page_count = 20")

    monkeypatch.setattr("whygrad.monitor.patient.Writer", Small)
    own = worker(path)
    for step in range(1, 200):
        put(own, row(step, [1.0] * 400), names=track(400))
        if step % 20 == 0:
            assert own.wait(5)
    own.end(5)
    assert capfd.readouterr().err.count("database or disk is full") == 1
    assert Reader(path).rows(0)[0].step == 1


def test_a_folder_that_cannot_be_made_is_said_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    own = worker(tmp_path / "file" / "a.whygrad")
    for step in range(1, 4):
        put(own, row(step))
        own.wait(5)
    own.end(5)
    assert capfd.readouterr().err.count("cannot be written just now") == 1


def test_a_sink_that_raises_is_said_once_and_the_others_go_on(capfd: pytest.CaptureFixture[str]) -> None:
    got: list[object] = []

    class Good:
        def begin(self, meta: Meta) -> None:
            got.append(meta.script)

        def rows(self, track: Track, rows: list[Row]) -> None:
            got.extend(r.step for r in rows)

        def alarm(self, alarm: Alarm) -> None:
            got.append(alarm.rule)

        def close(self) -> None:
            got.append("closed")

    class Bad(Good):
        def rows(self, track: Track, rows: list[Row]) -> None:
            raise OSError("no network")

    own = worker(None, (Bad(), Good()))
    put(own, row(1))
    put(own, row(2, [math.nan] * 4))
    own.end(5)
    assert got == ["train.py", "train.py", 1, 2, "nonfinite-gradient", "closed"]
    assert capfd.readouterr().err.count("Bad failed and gets no more (OSError: no network)") == 1


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path) -> None:
    own = worker(tmp_path / "a.whygrad")
    times = [1e9, 5.0, -3.0, math.inf, 2e9]
    rows = [Row(0, n + 1, when, [1.0] * 4) for n, when in enumerate(times)]
    put(own, *rows)
    own.end(5)
    state = State(tmp_path / "a.whygrad")
    assert [p.step for p in state.points] == [1, 2, 3, 4, 5]
    draw(state, Look())


def test_a_check_that_fails_is_switched_off_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(track())
    monkeypatch.setattr(history._checks["dead-units"], "look", lambda row: 1 / 0)
    alarms(history, [row(1), row(2)])
    assert [p for p in history.problems if "dead-units failed (ZeroDivisionError" in p] == history.problems
    assert len(history.problems) == 1


# -- alarms ----------------------------------------------------------------------------------------------


def test_every_alarm_has_a_page() -> None:
    assert len(checks()) >= 9
    for slug in checks():
        module = module_of(slug)
        assert module is not None
        text = page(module)
        for heading in ("What it means", "How to recognise it", "Example", "Use instead", "References"):
            assert f"## {heading}" in text, (slug, heading)


def test_nothing_is_said_of_an_ordinary_course() -> None:
    """A norm that falls and jumps about by a factor of 5, a warm-up, a cosine to 0, clipping, a frozen parameter, an expert that is
    used in one step of seven."""
    chance = random.Random(0)
    history = History(track(), guess=2.3)
    rows = []
    for step in range(1, 3001):
        norm = 5 * math.exp(-step / 800) * math.exp(chance.gauss(0, 0.5))
        rate = min(step / 100, 0.5 * (1 + math.cos(math.pi * step / 3000)))
        expert = norm if chance.random() < 1 / 7 else 0.0
        norms = [norm, norm / 3, UNSEEN, expert]
        rows.append(
            row(step, norms, lrs=(rate,), loss=2.3 * math.exp(-step / 900), unclipped=2 * norm, max_norm=1.0)
        )
    assert alarms(history, rows) == []


def test_nan_is_told_once_with_the_place_where_it_begins() -> None:
    rows = [row(step) for step in range(1, 5)] + [row(5, [math.nan, math.inf, 3.0, 4.0], loss=1.0)]
    rows += [row(step, [math.nan] * 2 + [3.0, 4.0]) for step in range(6, 9)]
    (alarm,) = alarms(History(track()), rows)
    assert (alarm.rule, alarm.severity, alarm.step, alarm.since) == ("nonfinite-gradient", "error", 5, 4)
    assert alarm.parameters == ("layer.1.weight", "layer.0.weight")
    assert "still finite at layer.2.weight, and no more at layer.1.weight" in alarm.title


def test_what_a_scaler_left_out_is_no_nan() -> None:
    assert alarms(History(track()), [row(1), row(2, [math.inf] * 4, overflow=True), row(3)]) == []


def test_parameters_that_stop_together_are_one_alarm() -> None:
    rows = [row(step) for step in range(1, 101)] + [
        row(step, [0.0, 0.0, 3.0, 4.0]) for step in range(101, 200)
    ]
    (alarm,) = alarms(History(track()), rows)
    assert (alarm.rule, alarm.since, alarm.step) == ("parameter-stopped-training", 100, 150)
    assert alarm.parameters == ("layer.0.weight", "layer.1.weight")
    rows = [row(step) for step in range(1, 101)] + [
        row(step, [UNSEEN, 2.0, 3.0, 4.0]) for step in range(101, 300)
    ]
    assert alarms(History(track()), rows) == [], "frozen on purpose"
    learned = [row(step, loss=1 / step) for step in range(1, 101)]
    learned += [row(step, [0.0] * 4, loss=0.0) for step in range(101, 300)]
    assert alarms(History(track()), learned) == [], "the loss is 0: nothing is left to learn"


def test_a_spike_is_judged_by_what_is_usual() -> None:
    usual = [row(step, [1 + 0.1 * math.sin(step)] * 4) for step in range(1, 80)]
    (alarm,) = alarms(History(track()), [*usual, row(80, [1.0, 100.0, 1.0, 1.0]), row(81)])
    assert (alarm.rule, alarm.step, alarm.parameters) == ("gradient-norm-spike", 80, ("layer.1.weight",))
    assert alarms(History(track()), [*usual, row(80, [1.0, 5.0, 1.0, 1.0])]) == []
    cut = row(80, [1.0, 100.0, 1.0, 1.0], unclipped=100.0, max_norm=1.0)
    assert alarms(History(track()), [*usual, cut]) == []
    chance = random.Random(1)
    heavy = [row(step, [math.exp(2 * chance.gauss(0, 1))] * 4) for step in range(1, 1000)]
    assert alarms(History(track()), heavy) == [], "jumps are usual here"


def test_vanishing_needs_an_even_fall_over_many_steps() -> None:
    fall = [10.0 ** (n - 9) for n in range(10)]
    (alarm,) = alarms(History(track(10)), [row(step, fall) for step in range(1, 100)])
    assert alarm.rule == "gradient-vanishes-with-depth"
    assert "layer.0.weight" in alarm.parameters
    assert "layer.9.weight" not in alarm.parameters
    assert (
        alarms(History(track(10)), [row(step, [0.2**n for n in range(10, 0, -1)]) for step in range(1, 100)])
        == []
    )
    assert alarms(History(track(10)), [row(step, fall) for step in range(1, 45)]) == []


def test_units_that_die_are_told_once_they_are_many() -> None:
    def course(lives: list[float], norm: float = 1.0) -> list[Alarm]:
        rows = [row(n + 1, [norm] * 4, details={1: Detail(live=live)}) for n, live in enumerate(lives)]
        return alarms(History(track(4, (64,))), rows)

    (alarm,) = course([1.0, 0.8, 0.5, 0.15, 0.1])
    assert (alarm.rule, alarm.parameters, alarm.step) == ("dead-units", ("layer.1.weight",), 5)
    assert "58 of the 64 units" in alarm.title
    both = [
        row(n + 1, [1.0] * 4, details={i: Detail(live=v) for i in (0, 3)})
        for n, v in enumerate((1.0, 0.1, 0.1))
    ]
    (alarm,) = alarms(History(track(4, (64,))), both)
    assert alarm.parameters == ("layer.0.weight", "layer.3.weight")
    assert course([1.0, 0.3, 0.25, 0.25, 0.25]) == [], "small critics with clipped weights get there"
    assert course([1.0, 0.1, 0.9, 0.1, 0.9]) == []
    assert course([0.35, 0.1, 0.1, 0.1]) == [], "so from the first step on: run's rules tell"
    assert course([1.0, 0.15, 0.1, 0.1], norm=0.0) == []


def test_a_collapsed_rate_is_not_the_end_of_a_schedule() -> None:
    def course(rates: list[float]) -> list[Alarm]:
        return alarms(History(track()), [row(n + 1, lrs=(rate,)) for n, rate in enumerate(rates)])

    (alarm,) = course([0.1 * 0.5**n for n in range(100)])
    assert alarm.rule == "learning-rate-collapses"
    assert 60 <= alarm.step <= 75
    assert course([0.1 * (1 - n / 1000) for n in range(1001)]) == []
    assert course([0.1 * 0.1 ** (n // 300) for n in range(1200)]) == []
    (alarm,) = course([0.0] * 100)
    assert "has been 0" in alarm.title
    assert course([n / 1000 for n in range(1000)]) == []


def test_a_scaler_that_skips_on_and_on() -> None:
    def course(skips: list[bool]) -> list[Alarm]:
        rows, skipped = [], 0
        for n, skip in enumerate(skips):
            skipped += skip
            rows.append(row(n + 1, [UNSEEN] * 4 if skip else None, attempts=n + 1, skipped=skipped))
        return alarms(History(track()), rows)

    (alarm,) = course([True] * 30)
    assert (alarm.rule, alarm.step) == ("scaler-skips-steps", 20)
    assert course([True] * 10 + [False] * 300) == []
    assert course([n % 50 == 0 for n in range(1000)]) == []
    assert [a.rule for a in course([n % 3 == 0 for n in range(300)])] == ["scaler-skips-steps"]
    overflows = [row(n, [math.inf] * 4, overflow=True) for n in range(1, 25)]
    assert [a.rule for a in alarms(History(track()), overflows)] == ["scaler-skips-steps"]


def test_a_loss_is_judged_only_where_the_guess_is_known() -> None:
    flat = [row(step, loss=2.31) for step in range(1, 400)]
    assert alarms(History(track()), flat) == []
    (alarm,) = alarms(History(track(), guess=2.303), flat)
    assert alarm.rule == "no-better-than-guess"
    falls = [row(step, loss=2.31 - step / 1000) for step in range(1, 400)]
    assert alarms(History(track(), guess=2.303), falls) == []


def test_updates_that_are_lost_in_the_dtype() -> None:
    def course(details: list[Detail], dtype: str = "bfloat16", **more: object) -> list[Alarm]:
        rows = [row(n + 1, details={0: d, 1: d}, **more) for n, d in enumerate(details)]
        return alarms(History(track(dtype=dtype)), rows)

    (alarm,) = course([Detail(still=0.99, ratio=1e-4, zero=0.0, size=1.0)] * 30)
    assert (alarm.rule, alarm.parameters) == ("update-below-resolution", ("layer.0.weight", "layer.1.weight"))
    turns = [
        row(n, details={n % 2: Detail(still=0.99, ratio=1e-4, zero=0.0, size=1.0)}) for n in range(1, 70)
    ]
    (alarm,) = alarms(History(track(dtype="bfloat16")), turns)
    assert alarm.parameters == ("layer.0.weight", "layer.1.weight"), "looked at in turn, told together"
    assert course([Detail(still=0.99 if n % 8 else 0.2) for n in range(60)]) == [], "they arrive now and then"
    assert course([Detail(still=0.99)] * 30, lrs=(0.0,)) == []
    unmoved = [Detail(zero=0.0, ratio=0.0, size=1.0)] * 30
    assert [a.rule for a in course(unmoved, "float32")] == ["update-below-resolution"]
    sparse = [Detail(zero=0.95, ratio=0.0, size=1.0)] * 30
    assert course(sparse, "float32") == []
    arrived = [
        row(n, [10.0 ** -min(n, 6)] * 4, details={0: unmoved[0]} if n > 6 else {}) for n in range(1, 60)
    ]
    arrived[0].details = {0: Detail(zero=0.0, ratio=0.1, size=1.0)}
    assert alarms(History(track(dtype="float32")), arrived) == [], "L-BFGS has converged and writes nothing"


# -- reports and the live view ---------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = records.new_path("train.py", str(tmp_path))
    own = Worker(
        Meta("train.py", cwd=str(tmp_path), steps=100, frozen={"stem.weight": (3, 3)}),
        path,
        (),
        Told(),
        lambda a: None,
    )
    details = {n: Detail(zero=0.0, ratio=1e-3, size=1.0) for n in range(3)} | {
        3: Detail(zero=0.0, ratio=0.0, size=1.0)
    }
    put(
        own,
        *[
            row(n, [1.0, NO_GRADIENT, UNSEEN, 2.0], details=details, loss=2.0 / n, every=5)
            for n in range(5, 60, 5)
        ],
    )
    put(own, row(60, [math.nan, NO_GRADIENT, UNSEEN, 2.0], loss=0.1))
    own.end(5)
    return path


def test_the_report_of_a_store_is_a_report_like_any_other(stored: Path) -> None:
    found = saved.read(stored)
    report = found.report
    assert isinstance(report, Report)
    assert (report.verdict, report.steps, report.losses[0]) == ("does-not-train", 60, 0.4)
    verdicts = {row.fqn: (row.verdict, row.broken_link) for row in report.parameters}
    assert verdicts == {
        "layer.0.weight": ("gradient non-zero and finite", 6),
        "layer.1.weight": ("reaches the loss by autograd", 5),
        "layer.2.weight": ("frozen", None),
        "layer.3.weight": ("the update changes the value and stays", 9),
        "stem.weight": ("frozen", None),
    }
    assert [f.rule for f in report.findings] == ["nonfinite-gradient"]
    assert "step 60" in str(report)
    assert saved.read(stored, ignore=("nonfinite-gradient",)).report.findings == ()
    assert any("has not ended" in text for text in report.incomplete)


def test_following_shows_progress_curves_and_alarms(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    console = Console(width=80, file=sys.stdout, no_color=True)
    console.print(draw(State(stored), Look()))
    text = capsys.readouterr().out
    for part in (
        "train.py: step 60",
        "60/100",
        "loss",
        "gradient norm",
        "layer",
        "error: step 60",
        "whygrad explain",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80

    base = sqlite3.connect(stored, isolation_level=None)
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        base.execute("UPDATE meta SET value = replace(value, '\"running\"', '\"end\"') WHERE key = 'run'")

    follow(stored, sys.stdout, sleep)
    lines = capsys.readouterr().out.splitlines()
    assert len(slept) == 1
    assert lines[0].startswith("alarm: step 60")
    assert lines[1:] == ["step 60 of 100, loss 0.1, gradient norm inf, lr 0.1, 1 alarm"] * 2


def test_following_ends_where_the_process_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a killed run leaves; the number of a process that has just ended is not given anew at once."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = process.own()
    path = tmp_path / "a.whygrad"
    writer = Writer(path)

    def written_by(who: str) -> State:
        writer.write(Batch(Meta("train.py", step=7, steps=100, process=who), [track()], [row(7)]))
        return State(path)

    assert not written_by(here).over
    assert not written_by("0000:" + here.partition(":")[2]).over, "of another machine nothing is known"
    assert not written_by("").over
    assert written_by(f"{here.partition(':')[0]}:{ended.pid}").over
    follow(path, sys.stdout, sleep=lambda seconds: pytest.fail("there is nothing to wait for"))
    assert capsys.readouterr().out.endswith("no alarm, the process is gone\n")
    assert any("was killed" in text for text in saved.read(path).report.incomplete)


def test_the_time_that_is_left() -> None:
    seconds = (0, 17, 60, 3_725, 90_000, 172_800)
    assert [in_words(s) for s in seconds] == ["0 s", "17 s", "1 min", "1 h 2 min", "1 d 1 h", "2 d"]


def test_a_curve_has_no_place_for_what_is_not_finite() -> None:
    assert curve([0.0, 1.0, math.nan], 3, True) == "▁█!"
    assert curve([1.0] * 500, 10, True) == "▁" * 10
    assert curve([1.0], 10, False) == ""


def test_a_store_that_is_still_growing_is_not_pruned(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(25):
        (stored.parent / f"30000101T000000.{n:06}-x-00000000-1.whygrad").write_bytes(b"x")
    (stored.parent / f"{stored.name}-journal").write_bytes(b"")
    records.prune(stored.parent)
    assert stored.exists()
    monkeypatch.setattr(records, "_modified", lambda path: 0.0)
    records.prune(stored.parent)
    assert not stored.exists()
    assert not list(stored.parent.glob("*-journal"))


def test_norms_of_modules_and_names() -> None:
    names = Track(0, "SGD", ("a.0.weight", "a.1.weight", "b"), ((1,),) * 3, ("float32",) * 3, (0,) * 3)
    assert by_module(row(1, [3.0, 4.0, 1.0]), names) == {"a.0": 3.0, "a": 5.0, "a.1": 4.0}
