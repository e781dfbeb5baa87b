"""What the rules about axes and positions rely on in torch."""

from __future__ import annotations

import copy

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.autograd.graph import GradientEdge
from torch.overrides import TorchFunctionMode


def test_autograd_goes_from_node_to_node_and_leaves_the_parameters_alone() -> None:
    embed, head = nn.Embedding(5, 4), nn.Linear(4, 5)
    hidden = embed(torch.arange(5).view(1, 5))
    scores = head(hidden)
    start, end = GradientEdge(scores.grad_fn, 0), GradientEdge(hidden.grad_fn, 0)
    shape = hidden.shape
    loss = scores.sum()
    del hidden, scores
    (found,) = torch.autograd.grad([start], [end], [torch.ones(1, 5, 5)], retain_graph=True)
    assert found.shape == shape
    assert embed.weight.grad is None
    assert head.weight.grad is None
    loss.backward()
    assert head.weight.grad is not None


@pytest.mark.parametrize("hidden", [float("-inf"), -1e9, -1e4])
def test_a_masked_position_has_a_gradient_of_exactly_zero(hidden: float) -> None:
    x = torch.randn(6, 4, requires_grad=True)
    scores = (x @ x.T).masked_fill(torch.ones(6, 6).triu(1).bool(), hidden)
    (scores.softmax(-1) @ x)[2].sum().backward()
    assert x.grad is not None
    assert not x.grad[3:].any()
    assert x.grad[2].any()


def test_the_backward_direction_of_a_recurrent_layer_comes_last_in_its_features() -> None:
    x = torch.randn(5, 1, 3, requires_grad=True)
    out, _ = nn.LSTM(3, 4, bidirectional=True)(x)
    forwards, backwards = (torch.autograd.grad(out[2, :, part].sum(), x, retain_graph=True)[0] for part in
                           (slice(4), slice(4, 8)))  # fmt: skip
    assert not forwards[3:].any()
    assert not backwards[:2].any()
    assert backwards[3:].any()


class Hears(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.args: dict[str, tuple[object, ...]] = {}

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.args[getattr(func, "__name__", "")] = args
        return func(*args, **(kwargs or {}))


def test_a_recurrent_layer_tells_direction_and_layout_in_its_arguments() -> None:
    with Hears() as heard:
        nn.LSTM(3, 4, bidirectional=True)(torch.randn(2, 5, 3))
        nn.GRU(3, 4, batch_first=True)(torch.randn(2, 5, 3))
    assert heard.args["lstm"][7:] == (True, False)
    assert heard.args["gru"][7:] == (False, True)


def test_attention_turns_a_batch_first_input_round_by_itself() -> None:
    x = torch.randn(2, 5, 8)
    with Hears() as heard:
        nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    assert heard.args["multi_head_attention_forward"][0].shape == (5, 2, 8)  # type: ignore[attr-defined]


def test_an_encoder_copies_its_layer_without_constructing_it() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
    made = []
    original = nn.MultiheadAttention.__init__

    def noted(self: nn.MultiheadAttention, *args: object, **kwargs: object) -> None:
        made.append(self)
        original(self, *args, **kwargs)  # type: ignore[arg-type]

    nn.MultiheadAttention.__init__ = noted  # type: ignore[method-assign]
    try:
        encoder = nn.TransformerEncoder(layer, 2)
        copy.deepcopy(layer)
    finally:
        nn.MultiheadAttention.__init__ = original  # type: ignore[method-assign]
    assert not made
    assert [type(m) for m in encoder.layers[0].modules()] == [type(m) for m in layer.modules()]
