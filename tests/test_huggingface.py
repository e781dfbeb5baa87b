"""The monitor's callback in real ``train()`` runs of the Trainer of transformers, and ``whygrad.watch`` in loops with Accelerate
(``whygrad run`` on such scripts: tests/test_lightning.py)."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from pages import example
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset, TensorDataset

import whygrad
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Row

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from accelerate import Accelerator
from accelerate.state import AcceleratorState
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from whygrad.integrations.huggingface import WhygradCallback

pytestmark = pytest.mark.filterwarnings("ignore")


class Words(Dataset[Any]):
    def __init__(self, count: int) -> None:
        self.words = torch.randint(5, 60, (count, 8), generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, i: int) -> dict[str, Any]:
        return {"input_ids": self.words[i], "labels": (self.words[i, 0] > 32).long()}


def model(kind: Any = BertForSequenceClassification) -> Any:
    torch.manual_seed(0)
    return kind(
        BertConfig(
            vocab_size=64,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=16,
        )
    )


def trainer(own: Any, folder: Path, *callbacks: Any, **options: Any) -> Any:
    given = {"max_steps": 6, "logging_steps": 2, "learning_rate": 1e-3, "save_strategy": "no", **options}
    arguments = TrainingArguments(
        str(folder), per_device_train_batch_size=4, use_cpu=True, report_to=[], disable_tqdm=True, **given
    )
    return Trainer(model=own, args=arguments, train_dataset=Words(48), callbacks=list(callbacks))


def kept(path: Path) -> tuple[Any, dict[int, list[Row]], dict[int, Any]]:
    """What a record says of its run, the rows of every track, the tracks."""
    reader = Reader(path)
    try:
        tracks = reader.tracks()
        return reader.meta(), {n: reader.rows(n) for n in tracks}, tracks
    finally:
        reader.close()


def test_a_train_with_accumulation_clipping_and_bf16(tmp_path: Path) -> None:
    options = {"gradient_accumulation_steps": 2, "bf16": True, "max_grad_norm": 0.1}
    alone, watched = model(), model()
    trainer(alone, tmp_path, **options).train()
    callback = WhygradCallback(every=1, record=tmp_path / "run")
    run = trainer(watched, tmp_path, callback, **options)
    run.train()

    for ours, theirs in zip(watched.parameters(), alone.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    meta, rows, tracks = kept(tmp_path / "run")
    assert (meta.ended, meta.step, meta.steps) == ("end", 6, 6)
    assert {name for t in tracks.values() for name in t.names} == {
        name for name, _ in watched.named_parameters()
    }
    assert [row.step for row in rows[0]] == [1, 2, 3, 4, 5, 6]
    logged = {log["step"]: log["loss"] for log in run.state.log_history if "loss" in log}
    assert [row.loss for row in rows[0]] == [None, None, *[pytest.approx(logged[n]) for n in (2, 2, 4, 4)]]
    for row in rows[0]:
        assert row.max_norm == pytest.approx(0.1)
        assert row.total() == pytest.approx(min(0.1, row.unclipped), rel=1e-3)
    assert not callback.watch.alarms
    assert not callback.watch.problems


def test_resumed_from_a_checkpoint(tmp_path: Path) -> None:
    saving = {"save_strategy": "steps", "save_steps": 4}
    trainer(model(), tmp_path, WhygradCallback(record=False), **saving).train()
    callback = WhygradCallback(every=1, record=tmp_path / "run")
    trainer(model(), tmp_path, callback, **saving).train(
        resume_from_checkpoint=str(tmp_path / "checkpoint-4")
    )
    meta, rows, _ = kept(tmp_path / "run")
    assert [row.step for row in rows[0]] == [5, 6]
    assert meta.step == 6


def test_an_alarm_stops_the_train_and_the_next_one_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Spoilt(BertForSequenceClassification):
        passes = 0

        def forward(self, input_ids: Any, labels: Any) -> Any:
            found = super().forward(input_ids, labels=labels)
            self.passes += 1
            if self.passes == 3:
                found["loss"] = found["loss"] * float("nan")
            return found

    callback = WhygradCallback(every=1, record=False, on_alarm=["warn", "stop"])
    run = trainer(model(Spoilt), tmp_path, callback, max_steps=2_000)
    run.train()
    first = callback.watch
    assert first.alarms[0].rule == "nonfinite-gradient"
    assert first.alarms[0].step == 3
    assert 3 <= run.state.global_step < 2_000
    said = capsys.readouterr().err
    assert "training is ended by the alarm nonfinite-gradient of step 3" in said
    assert "whygrad explain nonfinite-gradient" in said

    again = trainer(model(), tmp_path, callback)
    again.train()
    assert again.state.global_step == 6, "what stopped the first is forgotten"
    assert first.closed
    assert callback.watch is not first


def accelerated(watched: bool, folder: Path) -> tuple[Any, Any]:
    """A loop with Accelerate, two optimizers, accumulation, clipping and bf16. The weights, and the watch if there is one."""
    torch.manual_seed(0)
    AcceleratorState._reset_state(reset_partial_state=True)  # it is one for the process
    accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    x = torch.randn(48, 6)
    loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4)
    body = torch.optim.AdamW(net[0].parameters(), lr=0.01)
    head = torch.optim.SGD(net[2].parameters(), lr=0.1)
    net, body, head, loader = accelerator.prepare(net, body, head, loader)
    watch = whygrad.watch(net, [body, head], every=1, record=folder / "run") if watched else None
    for inputs, labels in loader:
        with accelerator.accumulate(net):
            loss = cross_entropy(net(inputs), labels)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(net.parameters(), 0.1)
            body.step()
            head.step()
            body.zero_grad()
            head.zero_grad()
        if watch is not None:
            watch.step(loss)
    if watch is not None:
        watch.close()
    return list(accelerator.unwrap_model(net).parameters()), watch


def test_a_loop_with_accelerate_needs_nothing_but_watch(tmp_path: Path) -> None:
    weights, watch = accelerated(True, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(weights, accelerated(False, tmp_path)[0], strict=True))
    meta, rows, tracks = kept(tmp_path / "run")
    assert {t.optimizer: set(t.names) for t in tracks.values()} == {
        "AdamW": {"0.weight", "0.bias"},
        "SGD": {"2.weight", "2.bias"},
    }
    for own in rows.values():
        assert [row.step for row in own] == [1, 2, 3, 4, 5, 6]
        assert all(row.loss is not None for row in own)
    assert all(row.max_norm == pytest.approx(0.1) for row in rows[min(rows)]), "the step that came next"
    assert meta.step == 6
    assert not watch.problems
    assert not watch.alarms


def test_a_loop_with_accelerate_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """``save_state`` and ``load_state``, with a scaler-free bf16 loop; ``first_step`` tells where it stood."""

    def loop(first: int, folder: Path) -> list[Row]:
        torch.manual_seed(0)
        AcceleratorState._reset_state(reset_partial_state=True)
        accelerator = Accelerator(cpu=True, mixed_precision="bf16")
        net = nn.Linear(6, 2)
        x = torch.randn(24, 6)
        loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4)
        net, optimizer, loader = accelerator.prepare(net, torch.optim.AdamW(net.parameters()), loader)
        if first:
            accelerator.load_state(str(tmp_path / "state"))
        with whygrad.watch(net, optimizer, every=1, record=folder / "run", first_step=first) as watch:
            for inputs, labels in loader:
                loss = cross_entropy(net(inputs), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                watch.step(loss)
        accelerator.save_state(str(tmp_path / "state"))
        assert not watch.problems
        return kept(folder / "run")[1][0]

    before, after = loop(0, tmp_path / "a"), loop(6, tmp_path / "b")
    assert [row.step for row in before] == [1, 2, 3, 4, 5, 6]
    assert [row.step for row in after] == [7, 8, 9, 10, 11, 12]
    size = after[0].details[0].size or 0.0
    assert size != pytest.approx(before[0].details[0].size, rel=1e-4), "the weights of the checkpoint"


def test_without_transformers_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, "whygrad.integrations.huggingface")
    with pytest.raises(ImportError, match=r"install them with `pip install transformers accelerate`\.$"):
        importlib.import_module("whygrad.integrations.huggingface")


@pytest.mark.parametrize(
    ("heading", "steps"), [("The Trainer of transformers", 10), ("Accelerate, and loops of your own", 8)]
)
def test_the_examples_of_the_page(
    heading: str,
    steps: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    AcceleratorState._reset_state(reset_partial_state=True)
    exec(example("frameworks.md", heading), {})
    assert capsys.readouterr().out.endswith(f"{steps} []\n")
