"""The monitor's callback in real ``fit()`` runs of Lightning, by either of its names, and what ``whygrad run`` says of scripts
with Lightning and Hugging Face's Trainer in them (the same: tests/test_huggingface.py)."""

from __future__ import annotations

import importlib
import json
import logging
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import torch
from pages import example
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Row

lightning = pytest.importorskip("lightning.pytorch")
pytest.importorskip("pytorch_lightning")  # both, before the callback, which is then one for both
WhygradCallback = importlib.import_module("whygrad.integrations.lightning").WhygradCallback

for logger in ("lightning.pytorch", "pytorch_lightning"):
    logging.getLogger(logger).setLevel(logging.ERROR)
pytestmark = pytest.mark.filterwarnings("ignore")

FRAMEWORKS = Path(__file__).parent / "frameworks"


def data(count: int = 48) -> DataLoader[Any]:
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(0))
    return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4)


def classifier(package: Any, bad_at: int = -1) -> Any:
    class Classifier(package.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(6, 8)
            self.head = nn.Linear(8, 2)
            self.losses: list[float] = []

        def training_step(self, batch: Any, index: int) -> Any:
            x, y = batch
            loss = cross_entropy(self.head(self.body(x).relu()), y)
            if index == bad_at:
                loss = loss * float("nan")
            self.losses.append(loss.item())
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), lr=0.01)

    torch.manual_seed(0)
    return Classifier()


def two_players(package: Any) -> Any:
    class Players(package.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.automatic_optimization = False
            self.maker = nn.Linear(6, 6)
            self.judge = nn.Linear(6, 1)

        def training_step(self, batch: Any, index: int) -> Any:
            maker, judge = self.optimizers()
            judged = self.judge(self.maker(batch[0]).detach()).sigmoid().mean()
            judge.zero_grad()
            self.manual_backward(judged)
            judge.step()
            made = -self.judge(self.maker(batch[0])).sigmoid().mean()
            maker.zero_grad()
            self.manual_backward(made)
            maker.step()
            return {"loss": judged}

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.maker.parameters()), torch.optim.Adam(self.judge.parameters())

    torch.manual_seed(0)
    return Players()


def trainer(package: Any, folder: Path, *callbacks: Any, checkpoints: bool = False, **options: Any) -> Any:
    given = {"max_epochs": 1, "accelerator": "cpu", "logger": False, "enable_progress_bar": False, **options}
    return package.Trainer(
        callbacks=list(callbacks),
        enable_checkpointing=checkpoints,
        enable_model_summary=False,
        default_root_dir=folder,
        **given,
    )


def kept(path: Path) -> tuple[Any, dict[int, list[Row]], dict[int, Any]]:
    """What a record says of its run, the rows of every track, the tracks."""
    reader = Reader(path)
    try:
        tracks = reader.tracks()
        return reader.meta(), {n: reader.rows(n) for n in tracks}, tracks
    finally:
        reader.close()


@pytest.fixture(params=["lightning.pytorch", "pytorch_lightning"])
def package(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(request.param)


def test_a_fit_with_accumulation_clipping_and_bf16(package: Any, tmp_path: Path) -> None:
    options = {
        "accumulate_grad_batches": 3,
        "gradient_clip_val": 0.05,
        "precision": "bf16-mixed",
        "max_epochs": 2,
    }
    alone, watched = classifier(package), classifier(package)
    trainer(package, tmp_path, **options).fit(alone, data())
    callback = WhygradCallback(every=1, record=tmp_path / "run")
    fit = trainer(package, tmp_path, callback, **options)
    fit.fit(watched, data())

    for ours, theirs in zip(watched.parameters(), alone.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    meta, rows, tracks = kept(tmp_path / "run")
    assert (meta.ended, meta.step, meta.steps) == ("end", 8, 8)
    assert fit.global_step == 8 == callback.watch.steps
    assert [set(t.names) for t in tracks.values()] == [
        {"body.weight", "body.bias", "head.weight", "head.bias"}
    ]
    assert [row.step for row in rows[0]] == list(range(1, 9))
    for n, row in enumerate(rows[0]):
        assert row.loss == pytest.approx(sum(watched.losses[3 * n : 3 * n + 3]) / 3, rel=1e-5)
        assert row.max_norm == pytest.approx(0.05)
        assert row.total() == pytest.approx(min(0.05, row.unclipped), rel=1e-3)
    assert any(row.clip_ratio() < 1 for row in rows[0])
    assert not callback.watch.alarms
    assert not callback.watch.problems


def test_several_optimizers_by_hand_and_resumed(tmp_path: Path) -> None:
    package = lightning
    first = WhygradCallback(every=1, record=tmp_path / "first")
    keeper = package.callbacks.ModelCheckpoint(dirpath=tmp_path, filename="last")
    trainer(package, tmp_path, first, keeper, checkpoints=True).fit(two_players(package), data())
    second = WhygradCallback(every=1, record=tmp_path / "second")
    again = trainer(package, tmp_path, second, max_epochs=2)
    again.fit(two_players(package), data(), ckpt_path=tmp_path / "last.ckpt")

    meta, rows, tracks = kept(tmp_path / "first")
    assert {t.names for t in tracks.values()} == {
        ("maker.weight", "maker.bias"),
        ("judge.weight", "judge.bias"),
    }
    assert [[row.step for row in own] for own in rows.values()] == [list(range(1, 13))] * 2
    assert meta.step == 12
    assert again.global_step == 48, "Lightning counts the steps of both"
    meta, rows, _ = kept(tmp_path / "second")
    assert [[row.step for row in own] for own in rows.values()] == [list(range(13, 25))] * 2


def test_resumed_from_a_checkpoint_of_a_fit_without_the_callback(tmp_path: Path) -> None:
    package = lightning
    before = trainer(package, tmp_path)
    before.fit(classifier(package), data())
    before.save_checkpoint(tmp_path / "plain.ckpt")
    callback = WhygradCallback(every=1, record=tmp_path / "run")
    trainer(package, tmp_path, callback, max_epochs=2).fit(
        classifier(package), data(), ckpt_path=tmp_path / "plain.ckpt"
    )
    meta, rows, _ = kept(tmp_path / "run")
    assert [row.step for row in rows[0]] == list(range(13, 25))
    assert meta.steps == 24


def test_an_alarm_stops_the_fit(package: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    callback = WhygradCallback(
        every=1, record=tmp_path / "run", on_alarm={"*": None, "nonfinite-gradient": "stop"}
    )
    fit = trainer(package, tmp_path, callback, max_epochs=400)
    fit.fit(classifier(package, bad_at=3), data())
    assert callback.watch.alarms[0].rule == "nonfinite-gradient"
    assert callback.watch.alarms[0].step == 4
    assert 4 <= fit.global_step < 4_800
    assert fit.should_stop
    assert kept(tmp_path / "run")[0].ended == "end"
    assert "training is ended by the alarm nonfinite-gradient of step 4" in capsys.readouterr().err


def test_a_fit_that_raises_is_kept_as_such(tmp_path: Path) -> None:
    package = lightning
    model = classifier(package)
    model.on_train_batch_start = lambda batch, index: 1 / (5 - index)
    callback = WhygradCallback(every=1, record=tmp_path / "run")
    with pytest.raises(ZeroDivisionError):
        trainer(package, tmp_path, callback).fit(model, data())
    meta, rows, _ = kept(tmp_path / "run")
    assert (meta.ended, meta.error, len(rows[0])) == ("raised", "ZeroDivisionError: division by zero", 5)
    assert callback.watch.closed


def test_without_lightning_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("whygrad.integrations.lightning")
    assert len(module._callbacks()) == 2
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs Lightning; install it with `pip install lightning`\.$"):
        module._callbacks()


def test_the_example_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(example("frameworks.md", "Lightning"), {})
    assert capsys.readouterr().out.endswith("16 []\n")


def run(script: Path, folder: Path, *options: str) -> dict[str, Any]:
    """The report of ``whygrad run`` on a script, started as users start it: the command's own file is in every stack."""
    command = [sys.executable, Path(sysconfig.get_path("scripts"), "whygrad")]
    done = subprocess.run(
        [*command, "run", *options, "--format", "json", "--output", "report.json", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (folder / "report.json").exists(), done.stderr
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def marked(script: Path) -> dict[str, int]:
    """The lines of a script that are marked with ``# BUG: RULE``."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return {line.partition("# BUG: ")[2]: n for n, line in enumerate(lines, 1) if "# BUG: " in line}


@pytest.mark.parametrize(
    ("name", "steps", "optimizers", "some"),
    [
        ("healthy", 12, 2, {"body.0.weight", "bert.embeddings.word_embeddings.weight"}),
        ("accelerate_healthy", 10, 1, {"stem.weight", "head.bias"}),
    ],
)
def test_whygrad_run_finds_nothing_in_healthy_scripts(
    name: str, steps: int, optimizers: int, some: set[str], tmp_path: Path
) -> None:
    report = run(FRAMEWORKS / f"{name}.py", tmp_path, "--steps", str(steps))
    assert report["verdict"] == "trains"
    assert not report["findings"]
    assert not report.get("incomplete")
    assert (report["watched"]["steps"], report["watched"]["optimizers"]) == (steps, optimizers)
    assert some <= {p["fqn"] for p in report["parameters"]}


@pytest.mark.parametrize("name", ["lightning_bugs", "trainer_bugs", "accelerate_bugs"])
def test_whygrad_run_names_the_users_line(name: str, tmp_path: Path) -> None:
    script = FRAMEWORKS / f"{name}.py"
    report = run(script, tmp_path)
    loud = [f for f in report["findings"] if f["severity"] != "note"]
    assert {f["rule"]: f["causes"][0]["line"] for f in loud} == marked(script)
    assert len(loud) == len(marked(script))
    for finding in loud:
        assert all(Path(cause["file"]).name == script.name for cause in finding["causes"]), finding["causes"]
