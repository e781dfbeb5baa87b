"""Every sink, written by a real training, and read back by means of the real library; nothing goes over a network."""

from __future__ import annotations

import csv
import importlib
import json
import logging
import math
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from pages import example

import whygrad
from whygrad.errors import UsageError
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import Numbers
from whygrad.monitor.sinks.csv import CsvSink
from whygrad.monitor.sinks.logging import LoggingSink
from whygrad.monitor.sinks.mlflow import MlflowSink
from whygrad.monitor.sinks.tensorboard import TensorBoardSink
from whygrad.monitor.sinks.wandb import WandbSink

#: What is compared with the record: name in the sinks, and what a row of the record says.
STEP_NUMBERS: dict[str, Callable[[Row], float | None]] = {
    "loss": lambda row: row.loss,
    "grad_norm": lambda row: row.total(),
    "unclipped_grad_norm": lambda row: row.unclipped,
    "clip_ratio": lambda row: row.clip_ratio(),
    "lr": lambda row: row.lr(),
}
SPOILT = 5


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "WANDB_MODE": "offline",
        "WANDB_SILENT": "true",
        "MLFLOW_ALLOW_FILE_STORE": "true",  # its database takes seconds to be made
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
    }.items():
        monkeypatch.setenv(name, value)


def trained(folder: Path, sink: Any, step: Callable[[int], None] = lambda n: None) -> tuple[list[Row], Track]:
    """Eight steps, the gradients of one of which are NaN: what the record has of them."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
    groups = [{"params": model[0].parameters()}, {"params": model[1].parameters(), "lr": 0.01}]
    optimizer = torch.optim.AdamW(groups, lr=0.001)
    with whygrad.watch(
        model, optimizer, every=1, sinks=[sink], record=folder / "run", on_alarm=None, name="train.py"
    ) as watch:
        for n in range(1, 9):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 4)).pow(2).mean()
            loss.backward()
            if n == SPOILT:
                model[0].bias.grad.fill_(float("nan"))
            torch.nn.utils.clip_grad_norm_(model[1].parameters(), 0.5)
            optimizer.step()
            watch.step(loss)
            step(n)
    assert not watch.problems
    assert (watch.alarms[0].rule, watch.alarms[0].step) == ("nonfinite-gradient", SPOILT)
    reader = Reader(folder / "run")
    try:
        return reader.rows(0), reader.tracks()[0]
    finally:
        reader.close()


def alike(one: float, other: float | None) -> bool:
    return other is not None and (
        one == pytest.approx(other, rel=1e-5) or (math.isnan(one) and math.isnan(other))
    )


def compare(series: dict[str, dict[int, float]], rows: list[Row], track: Track) -> None:
    """Series of a library (steps and their values, by name) against the record."""
    assert len(rows) == 8
    for name, value in STEP_NUMBERS.items():
        own = series[f"whygrad/{name}"]
        assert list(own) == [row.step for row in rows]
        assert all(alike(own[row.step], value(row)) for row in rows), name
    assert series["whygrad/lr_0"][1] == pytest.approx(0.001)
    assert series["whygrad/lr_1"][1] == pytest.approx(0.01)
    for index, parameter in enumerate(track.names):
        own = series[f"whygrad_grad_norm/{parameter}"]
        assert all(alike(own[row.step], row.norms[index]) for row in rows), parameter
        ratios = series[f"whygrad_update_ratio/{parameter}"]
        assert all(alike(ratios[row.step], row.details[index].ratio) for row in rows)
    inner = series["whygrad_module_grad_norm/1"]
    pair = [track.names.index(name) for name in ("1.weight", "1.bias")]
    assert inner[1] == pytest.approx(math.hypot(*[rows[0].norms[i] for i in pair]), rel=1e-5)


# -- TensorBoard ---------------------------------------------------------------------------------------


def test_tensorboard(tmp_path: Path) -> None:
    accumulating = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    rows, track = trained(tmp_path, TensorBoardSink(tmp_path / "board", seconds=0))
    events = accumulating.EventAccumulator(str(tmp_path / "board")).Reload()
    series = {tag: {e.step: e.value for e in events.Scalars(tag)} for tag in events.Tags()["scalars"]}
    compare(series, rows, track)
    assert events.Scalars("whygrad/loss")[2].wall_time == pytest.approx(rows[2].time, abs=1e-3)
    (text,) = [e for e in events.Tensors("whygrad/alarms/text_summary") if e.step == SPOILT]
    assert b"0.bias" in text.tensor_proto.string_val[0]


def test_tensorboard_with_a_writer_of_the_programs(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path / "own")) as writer:
        trained(tmp_path, TensorBoardSink(writer=writer))
        writer.add_scalar("mine", 1.0, 1)
        assert len(writer.all_writers) == 1, "it is still open"


# -- Weights & Biases ----------------------------------------------------------------------------------


def wandb_records(folder: Path) -> list[Any]:
    """The records of an offline run, which the library's process writes in its own time, the last of them an ``exit``."""
    deadline = time.monotonic() + 30
    while True:
        found = list(read_wandb(folder))
        if time.monotonic() > deadline or any(r.WhichOneof("record_type") == "exit" for r in found):
            return found
        time.sleep(0.05)


def read_wandb(folder: Path) -> Iterator[Any]:
    """The records in the file of an offline run, which is a log in the format of LevelDB: blocks of 32 KiB of chunks, each
    with a checksum (4 bytes), a length (2) and a kind (1: whole, 2: first, 3: middle, 4: last)."""
    wire = importlib.import_module("wandb.proto.wandb_internal_pb2")
    (file,) = folder.glob("wandb/offline-run-*/*.wandb")
    content, at, parts = file.read_bytes(), 7, b""
    assert content.startswith(b":W&B")
    while at + 7 <= len(content):
        left = 32_768 - at % 32_768
        if left < 7:
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", content, at)
        if at + 7 + length > len(content):
            return  # it is being written
        parts += content[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield wire.Record.FromString(parts)
            parts = b""


def wandb_history(records: list[Any]) -> list[dict[str, Any]]:
    lines = [r.history for r in records if r.WhichOneof("record_type") == "history"]
    return [{"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in line.item} for line in lines]


def wandb_number(value: Any) -> float:
    return float(value)  # NaN is written as a string


def test_wandb_with_a_run_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.chdir(tmp_path)
    rows, track = trained(tmp_path, WandbSink(seconds=0, project="p", dir=str(tmp_path)))
    records = wandb_records(tmp_path)
    series: dict[str, dict[int, float]] = {}
    for line in wandb_history(records):
        for name, value in line.items():
            series.setdefault(name, {})[line["whygrad/step"]] = wandb_number(value)
    compare(series, rows, track)
    (alert,) = [r.alert for r in records if r.WhichOneof("record_type") == "alert"][:1]
    assert (alert.title, alert.level) == ("whygrad: nonfinite-gradient", "ERROR")
    drawn = {
        r.metric.glob_name: r.metric.step_metric for r in records if r.WhichOneof("record_type") == "metric"
    }
    assert drawn["whygrad*"] == "whygrad/step"
    assert [r.WhichOneof("record_type") for r in records].count("exit") == 1, "it is finished"


def test_wandb_leaves_the_steps_of_the_programs_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.chdir(tmp_path)
    with wandb.init(project="p", dir=str(tmp_path)) as run:
        rows, _ = trained(tmp_path, WandbSink(), lambda n: run.log({"mine": n}, step=n))
        run.log({"mine": 9}, step=9)
    lines = [line for line in wandb_history(wandb_records(tmp_path)) if "mine" in line]
    assert [(line["_step"], line["mine"]) for line in lines] == [(n, n) for n in range(1, 10)]
    last = [line for line in lines if "whygrad/step" in line][-1]
    assert last["whygrad/step"] == 8
    assert alike(wandb_number(last["whygrad/loss"]), rows[-1].loss)


# -- MLflow --------------------------------------------------------------------------------------------


def test_mlflow(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    place = (tmp_path / "runs").as_uri()
    sink = MlflowSink(tracking_uri=place, seconds=0)
    rows, track = trained(tmp_path, sink)
    client = mlflow.MlflowClient(tracking_uri=place)
    run = client.get_run(sink.run_id)
    series = {
        name: {m.step: m.value for m in client.get_metric_history(sink.run_id, name)}
        for name in run.data.metrics
    }
    compare(series, rows, track)
    assert run.data.tags[f"whygrad.alarm.{SPOILT}.nonfinite-gradient"].startswith(f"step {SPOILT}: ")
    assert run.info.status == "FINISHED"


def test_mlflow_with_the_programs_run(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    former = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        with mlflow.start_run() as run:
            # without a model a parameter is called Adam[0][1], which is no name for MLflow
            sink = MlflowSink(seconds=0)
            weight = torch.nn.Parameter(torch.ones(3))
            optimizer = torch.optim.Adam([weight])
            with whygrad.watch(None, optimizer, every=1, sinks=[sink], record=False):
                weight.sum().backward()
                optimizer.step()
            assert mlflow.active_run().info.status == "RUNNING"
        found = mlflow.get_run(run.info.run_id)
        assert found.info.status == "FINISHED"
        assert found.data.metrics["whygrad_grad_norm/Adam_0__0_"] == pytest.approx(math.sqrt(3))
    finally:
        mlflow.set_tracking_uri(former)


# -- logging and CSV -----------------------------------------------------------------------------------


def test_logging(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="whygrad"):
        rows, _ = trained(tmp_path, LoggingSink(seconds=0))
    first, *steps = caplog.records
    assert first.getMessage() == "whygrad watches train.py"
    alarm = next(r for r in steps if r.levelno == logging.ERROR)
    assert alarm.whygrad["rule"] == "nonfinite-gradient"
    lines = [r for r in steps if r.levelno == logging.INFO]
    assert [line.whygrad["step"] for line in lines] == [row.step for row in rows]
    assert alike(lines[3].whygrad["loss"], rows[3].loss)
    assert (
        lines[0]
        .getMessage()
        .startswith(f"step 1: loss {rows[0].loss:.4g}, grad norm {rows[0].total():.4g}, ")
    )
    assert all(r.threadName == "whygrad-monitor" for r in caplog.records)


def test_logging_now_and_then(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="training"):
        trained(tmp_path, LoggingSink(logging.getLogger("training"), seconds=3_600))
    assert [r.getMessage().split(":")[0] for r in caplog.records if r.levelno == logging.INFO][1:] == [
        "step 1"
    ]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_csv(tmp_path: Path) -> None:
    rows, track = trained(tmp_path, CsvSink(tmp_path / "new" / "metrics.csv", seconds=0))
    lines = read(tmp_path / "new" / "metrics.csv")
    for line, row in zip(lines, rows, strict=True):
        assert (int(line["step"]), line["optimizer"], line["skipped_steps"]) == (row.step, "AdamW", "")
        assert all(alike(float(line[name]), value(row)) for name, value in STEP_NUMBERS.items())
    lines = read(tmp_path / "new" / "metrics.parameters.csv")
    assert len(lines) == 8 * len(track.names)
    norms = {(int(line["step"]), line["parameter"]): float(line["grad_norm"]) for line in lines}
    for row in rows:
        assert all(alike(norms[row.step, n], row.norms[i]) for i, n in enumerate(track.names))
    alarm = read(tmp_path / "new" / "metrics.alarms.csv")[0]
    assert (alarm["step"], alarm["severity"], alarm["parameters"]) == (str(SPOILT), "error", "0.bias")


def test_csv_is_continued_and_takes_no_other_file(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        trained(tmp_path / folder, CsvSink(tmp_path / "metrics.csv"))
    assert [line["step"] for line in read(tmp_path / "metrics.csv")] == [str(n) for n in range(1, 9)] * 2
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is no file of CsvSink's"):
        CsvSink(tmp_path / "mine.csv")
    with pytest.raises(UsageError, match="cannot be written"):
        CsvSink(tmp_path / "mine.csv" / "x.csv")


# -- what they share -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "module", "install"),
    [
        (TensorBoardSink, "torch.utils.tensorboard", "tensorboard"),
        (WandbSink, "wandb", "wandb"),
        (MlflowSink, "mlflow", "mlflow"),
    ],
)
def test_a_missing_library_is_one_sentence(
    make: Any, module: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value).startswith(f"This sink needs {install}, which cannot be imported (")
    assert str(caught.value).endswith(f"install it with `pip install {install}`.")
    assert "\n" not in str(caught.value)


def test_random_numbers_are_what_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random.seed(5)
    before = random.getstate()
    sinks = [
        TensorBoardSink(tmp_path / "board"),
        WandbSink(project="p", dir=str(tmp_path)),
        MlflowSink(tracking_uri=(tmp_path / "runs").as_uri()),
        CsvSink(tmp_path / "metrics.csv"),
        LoggingSink(),
    ]
    for sink in sinks:
        trained(tmp_path / type(sink).__name__, sink)
    assert random.getstate() == before


def a_track(number: int, *names: str, optimizer: str = "Adam") -> Track:
    return Track(number, optimizer, names, ((2,),) * len(names), ("float32",) * len(names), (0,) * len(names))


def test_optimizers_beside_each_other_are_told_apart_and_one_that_grows_is_not() -> None:
    numbers = Numbers(0)
    maker, judge = a_track(0, "maker.w"), a_track(1, "judge.w")
    assert [numbers.line(t) for t in (maker, judge, maker, judge)] == [1, 2, 1, 2]
    grown = a_track(2, "maker.w", "maker.b")
    assert [numbers.line(t) for t in (grown, judge, grown)] == [1, 2, 1]
    # one whose parameters contain those of another, as an InfoGAN has it: both go on
    both = a_track(3, "judge.w", "code.w")
    assert [numbers.line(t) for t in (both, judge, both, judge)] == [2, 3, 2, 3]
    assert numbers.line(a_track(4, "maker.w", optimizer="SGD")) == 4


def test_parameters_are_told_now_and_then_and_steps_always() -> None:
    numbers, track = Numbers(10), a_track(0, "w")
    told = [
        numbers.flat(track, Row(0, n, time, [1.0], lrs=(0.1,)))
        for n, time in enumerate([100.0, 105.0, 111.0, 112.0, 50.0, 51.0])
    ]
    assert ["whygrad_grad_norm/w" in one for one in told] == [True, False, True, False, True, False]
    assert all(one["whygrad/grad_norm"] == 1 and one["whygrad/lr"] == 0.1 for one in told)


def test_what_is_not_known_is_left_out() -> None:
    unseen = Row(0, 20, 1.0, [-2.0, -1.0], lrs=(math.nan,), skipped=20, attempts=20)
    assert Numbers(0).flat(a_track(0, "a.w", "b.w"), unseen) == {"whygrad/skipped_steps": 20}


def test_a_sink_that_fails_is_told_of_once_and_the_training_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing(CsvSink):
        def alarm(self, alarm: Alarm) -> None:
            raise OSError("no space left")

    torch.manual_seed(0)
    sink = Failing(tmp_path / "metrics.csv")
    with pytest.raises(AssertionError, match="Failing failed and gets no more"):
        trained(tmp_path, sink)
    assert capsys.readouterr().err.count("no space left") == 1


def test_the_example_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorboard")
    monkeypatch.chdir(tmp_path)
    exec(example("frameworks.md", "Sinks"), {})
    assert read(tmp_path / "metrics.csv")[0]["step"] == "1"
    assert list(tmp_path.glob("runs/first/*"))
