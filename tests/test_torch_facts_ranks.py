"""What the comparison of ranks relies on in torch, and the numbers it works with."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.autograd.graph import get_gradient_edge  # noqa: E402

from whygrad.graph.across import apart  # noqa: E402
from whygrad.observe.frames import Stacks  # noqa: E402
from whygrad.observe.guard import Problems  # noqa: E402
from whygrad.observe.recorder import Recorder  # noqa: E402
from whygrad.observe.sketching import moment  # noqa: E402
from whygrad.observe.stats import part_of  # noqa: E402


def test_a_mark_on_an_accumulating_node_lives_as_long_as_somebody_holds_the_node() -> None:
    parameter = nn.Parameter(torch.zeros(3))
    held = get_gradient_edge(parameter).node
    held.metadata["mark"] = 7
    assert get_gradient_edge(parameter).node.metadata.get("mark") == 7
    del held
    assert get_gradient_edge(parameter).node.metadata.get("mark") is None


def test_data_of_another_dtype_give_a_parameter_another_accumulating_node() -> None:
    layer = nn.Linear(2, 2)
    held = get_gradient_edge(layer.weight).node
    weight = layer.weight
    layer.half()
    layer.float()
    assert layer.weight is weight
    assert get_gradient_edge(layer.weight).node is not held
    same = get_gradient_edge(layer.weight).node
    layer.weight.data = layer.weight.data + 1.0  # of the same dtype: the node stays
    assert get_gradient_edge(layer.weight).node is same


def test_the_part_of_a_gradient_is_linear_in_it() -> None:
    one, other = torch.randn(5, 7), torch.randn(5, 7)
    assert math.isclose(float(part_of(one + other)), float(part_of(one) + part_of(other)), abs_tol=1e-4)


@pytest.mark.parametrize("size", [3, 40, 5_000, 60_000])
def test_sketches_tell_the_distance_of_two_tensors(size: int) -> None:
    torch.manual_seed(size)
    value, ratios = torch.randn(size), []
    for scale in (1e-3, 0.1, 1.0):
        pair = nn.Parameter(value), nn.Parameter(value + scale * torch.randn(size))
        recorder = Recorder(Stacks(""), Problems())
        held = {recorder.params.add(one, "parameter", -1, 0).index for one in pair}
        seen = moment(recorder, held)
        assert seen is not None
        true = float((pair[0] - pair[1]).norm() / max(one.norm() for one in pair))
        ratios.append(apart(seen.sketches) / true)
    assert all(0.3 < ratio < 2.5 for ratio in ratios), ratios


def test_sketches_of_equal_tensors_are_no_distance_apart() -> None:
    recorder = Recorder(Stacks(""), Problems())
    kept = [nn.Parameter(torch.arange(10.0)) for _ in range(2)]
    seen = moment(recorder, {recorder.params.add(p, "parameter", -1, 0).index for p in kept})
    assert seen is not None
    assert apart(seen.sketches) == 0.0
