"""What the watcher of modes relies on in torch, fact by fact."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.overrides import TorchFunctionMode


class Calls(TorchFunctionMode):
    """Notes the functions that pass, with their arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append((getattr(func, "__name__", ""), args, kwargs or {}))
        return func(*args, **(kwargs or {}))


def test_batch_norm_is_heard_with_its_buffers_by_position_and_the_rest_by_name() -> None:
    layer = nn.BatchNorm1d(3, momentum=0.2)
    with Calls() as calls:
        layer(torch.randn(4, 3))
    args, kwargs = next((a, k) for name, a, k in calls.seen if name == "batch_norm")
    assert args[1] is layer.running_mean
    assert args[2] is layer.running_var
    assert kwargs["training"] is True
    assert kwargs["momentum"] == 0.2


def test_a_batch_can_be_read_off_the_running_statistics() -> None:
    torch.manual_seed(0)
    layer, x = nn.BatchNorm1d(3, momentum=0.1).double(), torch.randn(16, 3).double()
    layer(torch.randn(16, 3).double())
    mean, var = layer.running_mean, layer.running_var
    assert mean is not None
    assert var is not None
    before = mean.clone(), var.clone()
    layer(x)
    assert torch.allclose((mean - 0.9 * before[0]) / 0.1, x.mean(0))
    assert torch.allclose((var - 0.9 * before[1]) / 0.1, x.var(0))


def test_the_counter_of_batches_tells_by_its_version_that_a_call_was_missed() -> None:
    layer = nn.BatchNorm1d(3)
    count = layer.num_batches_tracked
    assert count is not None
    version = count._version
    layer(torch.randn(4, 3))
    assert count._version == version + 1
    layer.eval()(torch.randn(4, 3))
    assert count._version == version + 1


def test_statistics_are_updated_under_no_grad_and_with_frozen_parameters() -> None:
    layer = nn.BatchNorm1d(3).requires_grad_(False)
    with torch.no_grad():
        layer(torch.randn(4, 3) + 5)
    assert layer.running_mean is not None
    assert layer.running_mean.abs().min() > 0.1


def test_eval_calls_train_of_every_child() -> None:
    told: list[bool] = []

    class Child(nn.Module):
        def train(self, mode: bool = True) -> Child:
            told.append(mode)
            return super().train(mode)

    nn.Sequential(Child(), nn.Sequential(Child())).eval()
    assert told == [False, False]


def test_functional_dropout_drops_whatever_the_mode_of_the_model() -> None:
    torch.manual_seed(0)
    assert (nn.functional.dropout(torch.ones(100), 0.5) == 0).any()
    assert not (nn.functional.dropout(torch.ones(100), 0.5, training=False) == 0).any()
