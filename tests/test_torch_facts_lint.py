"""What the static rules take for granted about torch, tried on the torch that is installed."""

from __future__ import annotations

import itertools
import warnings

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402


@pytest.mark.parametrize(
    "convert",
    [lambda m: m.half(), lambda m: m.to(torch.float64), lambda m: m.bfloat16(), lambda m: m.to("cpu")],
    ids=["half", "to dtype", "bfloat16", "to device"],
)
def test_converting_a_module_keeps_its_parameters_so_that_an_optimizer_holds_them_still(convert) -> None:
    model = nn.Linear(2, 2)
    before = list(model.parameters())
    converted = convert(model)
    assert all(a is b for a, b in zip(before, converted.parameters(), strict=True))


def test_a_generator_that_is_used_up_raises_in_an_optimizer_and_clips_nothing() -> None:
    model = nn.Linear(2, 1)
    params = model.parameters()
    assert len(list(params)) == 2
    with pytest.raises(ValueError, match="empty parameter list"):
        torch.optim.Adam(params)
    model(torch.ones(4, 2)).sum().backward()
    before = model.weight.grad.clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nn.utils.clip_grad_norm_(params, 1e-3)
    assert torch.equal(model.weight.grad, before)


@pytest.mark.parametrize(("shape", "dim"), [((4,), 0), ((2, 3), 1), ((2, 3, 4), 0), ((1, 2, 3, 4), 1)])
def test_softmax_without_dim_takes_the_dimension_that_the_page_says(shape: tuple[int, ...], dim: int) -> None:
    x = torch.randn(shape)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert torch.equal(nn.functional.softmax(x), nn.functional.softmax(x, dim=dim))
    assert "Implicit dimension choice" in str(said[0].message)


def test_a_module_keeps_no_layer_before_its_init_has_run() -> None:
    class Late(nn.Module):
        def __init__(self) -> None:
            self.names = ["a"]
            self.fc = nn.Linear(1, 1)
            super().__init__()

    with pytest.raises(AttributeError, match=r"before Module\.__init__"):
        Late()


def test_a_scaler_that_is_not_updated_raises_at_the_second_step() -> None:
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for turn in itertools.count():
        scaler.scale(model(torch.ones(1, 1)).sum()).backward()
        if turn == 1:
            with pytest.raises(RuntimeError, match="since the last update"):
                scaler.step(optimizer)
            break
        scaler.step(optimizer)


def test_an_object_of_an_autograd_function_can_not_be_called_any_more() -> None:
    class Twice(torch.autograd.Function):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="Legacy autograd function"):
            Twice()(torch.ones(2, requires_grad=True))


def test_volatile_does_nothing() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        x = torch.autograd.Variable(torch.ones(2), volatile=True)
    assert "no effect" in str(said[0].message)
    assert (nn.Linear(2, 1)(x)).requires_grad


def test_a_layer_of_a_class_attribute_or_list_is_in_no_parameters() -> None:
    class Net(nn.Module):
        shared = nn.Linear(2, 2)

        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(2, 2)]

    assert not list(Net().parameters())


def test_empty_containers_can_be_filled_like_the_list_or_dict_they_replace() -> None:
    layers, heads, scales = nn.ModuleList([]), nn.ModuleDict({}), nn.ParameterList([])
    layers.append(nn.Linear(1, 1))
    heads["a"] = nn.Linear(1, 1)
    scales.append(nn.Parameter(torch.ones(1)))
    assert (len(layers), len(heads), len(scales)) == (1, 1, 1)
