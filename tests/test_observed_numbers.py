"""What is measured of tensors and of steps, against the plain arithmetic."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

import whygrad
from whygrad.observe.stats import checksum, peak_of


@pytest.mark.parametrize(
    "data",
    [
        torch.randn(5, 7).t(),
        torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.randn(4, 6)[:, ::2],
        torch.randn(4, 1).expand(4, 3),
        torch.randn(2, 3, 4).permute(2, 0, 1),
        torch.tensor([[1.0, float("nan")], [2.0, 3.0]]).t(),
        torch.tensor(-3.0),
    ],
)
def test_the_peak_does_not_depend_on_the_order_in_memory(data: torch.Tensor) -> None:
    assert torch.equal(peak_of(data).nan_to_num(-1), data.abs().max().nan_to_num(-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("size", [17, 100_003, 400_000])
def test_a_checksum_tells_a_changed_element_and_rows_in_another_order(dtype: torch.dtype, size: int) -> None:
    data = torch.randn(size).to(dtype)
    assert checksum(data) == checksum(data.clone())
    for at in (0, size // 2, size - 1):
        other = data.clone()
        other[at] += 1
        assert checksum(other) != checksum(data)
    if size > 1000:  # in small ones it is the numbers alone that count
        assert checksum(data.roll(size // 2)) != checksum(data)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_change_of_every_step_is_measured(dtype: torch.dtype) -> None:
    layer = nn.Linear(6, 3).to(dtype)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x = torch.randn(8, 6).to(dtype)
    changes = []
    with whygrad.record() as recording:
        for _ in range(4):
            optimizer.zero_grad()
            layer(x).pow(2).mean().backward()
            before = layer.weight.detach().clone()
            optimizer.step()
            changes.append(float((layer.weight.detach() - before).float().norm()))
    names = [p.fqn for p in recording.trace.params]
    weight = names.index("weight")
    seen = [row.update for step in recording.trace.steps for row in step.params if row.param == weight]
    assert seen == pytest.approx(changes, rel=1e-3)
    assert len(seen) == 4
