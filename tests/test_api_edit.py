"""``whygrad.edit``: what a safe edit may do, and what it names when one is not safe."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

import whygrad


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))


def fill(m: nn.Sequential) -> None:
    m[0].weight.fill_(0.5)
    nn.init.ones_(m[1].bias)


def through_detach(m: nn.Sequential) -> None:
    m[0].weight.detach().zero_()


def through_data(m: nn.Sequential) -> None:
    m[0].weight.data.mul_(2)


def items(m: nn.Sequential) -> None:
    m[0].weight[:, 0] = 1
    m[0].weight[0].fill_(2)


def load(m: nn.Sequential) -> None:
    m.load_state_dict({k: v + 1 for k, v in m.state_dict().items()})


@pytest.mark.parametrize("safe", [fill, through_detach, through_data, items, load])
def test_a_safe_edit_passes_and_stays(safe: Callable[[nn.Sequential], None]) -> None:
    m = model()
    optimizer = torch.optim.Adam(m.parameters())
    before = [p.detach().clone() for p in m.parameters()]
    with whygrad.edit(m, optimizer) as inner:
        assert inner is m
        assert not torch.is_grad_enabled()
        safe(m)
    assert torch.is_grad_enabled()
    assert any(not torch.equal(p, b) for p, b in zip(m.parameters(), before, strict=True))
    assert all(p.requires_grad and p.is_leaf for p in m.parameters())


def replaced(m: nn.Sequential) -> None:
    m[0].weight = nn.Parameter(torch.zeros(2, 2))  # this line


def frozen(m: nn.Sequential) -> None:
    m[0].weight.requires_grad = False  # this line


def shared(m: nn.Sequential) -> None:
    m[0].weight.data = m[1].weight.data  # this line


def reshaped(m: nn.Sequential) -> None:
    m[0].weight.data = torch.zeros(3, 3)  # this line


def infinite(m: nn.Sequential) -> None:
    m[0].weight.div_(0)  # this line


def converted(m: nn.Sequential) -> None:
    m[0].double()  # this line


def deleted(m: nn.Sequential) -> None:
    del m[0].weight


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (replaced, "another object now.*Adam still holds the old one.*copy_"),
        (frozen, "no longer requires grad"),
        (shared, "shares its memory with 1.weight"),
        (reshaped, r"shape \(2, 2\).*\(3, 3\)"),
        (infinite, "not finite"),
        (converted, "float64"),
        (deleted, "0.weight is gone"),
    ],
)
def test_a_broken_edit_is_named_with_its_line(broken: Callable[[nn.Sequential], None], words: str) -> None:
    m = model()
    optimizer = torch.optim.Adam(m.parameters())
    with pytest.raises(whygrad.EditError, match=words) as raised, whygrad.edit(m, optimizer):
        broken(m)
    if broken is not deleted:
        assert "# this line" in str(raised.value)


def test_an_optimizer_among_the_variables_is_found() -> None:
    m = model()
    optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
    with pytest.raises(whygrad.EditError, match="held by no optimizer"), whygrad.edit(m):
        optimizer.param_groups[0]["params"] = []


def test_what_was_odd_before_is_not_told() -> None:
    m = model()
    m[1].weight = m[0].weight
    with torch.no_grad():
        m[0].bias.fill_(float("nan"))
    m[1].bias.requires_grad_(False)
    with whygrad.edit(m):
        m[0].weight.fill_(1.0)


def test_an_error_inside_passes_through() -> None:
    m = model()

    def break_and_raise() -> None:
        with whygrad.edit(m):
            frozen(m)
            raise KeyError("mine")

    with pytest.raises(KeyError):
        break_and_raise()
    assert torch.is_grad_enabled()


def as_the_docs_say(change: Callable[[nn.Linear], object]) -> tuple[bool, bool, bool]:
    """Whether the model's weight has changed, is a trainable leaf, and is the one that the optimizer has."""
    layer = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = layer.weight.detach().clone()
    change(layer)
    weight = layer.weight
    held = any(p is weight for p in optimizer.param_groups[0]["params"])
    return not torch.equal(weight, before), weight.is_leaf and weight.requires_grad, held


def under_no_grad(layer: nn.Linear) -> None:
    with torch.no_grad():
        layer.weight.fill_(0)


def assigned(layer: nn.Linear) -> None:
    layer.weight = nn.Parameter(torch.zeros(2, 2))


def own_data(layer: nn.Linear) -> None:
    layer.weight.data = torch.zeros(2, 2)


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (under_no_grad, (True, True, True)),
        (lambda layer: nn.init.zeros_(layer.weight), (True, True, True)),
        (lambda layer: layer.weight.detach().fill_(0), (True, True, True)),
        (lambda layer: layer.weight.data.fill_(0), (True, True, True)),
        (own_data, (True, True, True)),
        (assigned, (True, True, False)),
        (lambda layer: layer.weight * 2, (False, True, True)),
    ],
)
def test_the_table_in_the_docs_is_true(
    change: Callable[[nn.Linear], object], facts: tuple[bool, ...]
) -> None:
    assert as_the_docs_say(change) == facts


def test_a_write_through_data_makes_the_gradient_silently_wrong() -> None:
    def gradient(write: Callable[[torch.Tensor], object]) -> torch.Tensor:
        w, x = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
        y = w * x
        write(w)
        return torch.autograd.grad(y, x)[0]

    assert float(gradient(lambda w: None)) == 2.0
    assert float(gradient(lambda w: w.data.fill_(100.0))) == 100.0

    def under_no_grad(w: torch.Tensor) -> None:
        with torch.no_grad():
            w.fill_(100.0)

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(under_no_grad)


def nan_through_data(m: nn.Sequential) -> None:
    m[0].weight.data.fill_(float("nan"))


def nan_through_out(m: nn.Sequential) -> None:
    torch.div(torch.ones(2), 0.0, out=m[0].bias)


def nan_through_a_list(m: nn.Sequential) -> None:
    torch._foreach_mul_([m[0].bias, m[1].bias], float("nan"))


@pytest.mark.parametrize("write", [nan_through_data, nan_through_out, nan_through_a_list])
def test_a_write_that_is_no_method_of_the_parameter_is_told_with_its_line(
    write: Callable[[nn.Sequential], None],
) -> None:
    m = model()
    with pytest.raises(whygrad.EditError) as told, whygrad.edit(m):
        write(m)
    assert f":{write.__code__.co_firstlineno + 1}:" in str(told.value).splitlines()[0]


def test_where_no_line_was_seen_the_block_is_told() -> None:
    m = model()
    edited = whygrad.edit(m)
    with pytest.raises(whygrad.EditError, match=r"0\.weight is gone \(.*test_api_edit\.py:\d+"), edited:
        del m[0].weight


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: whygrad.edit(3), "not int"),
        (lambda m: whygrad.edit(m, m.parameters()), "not generator"),
        (lambda m: whygrad.edit(nn.LazyLinear(2)), "lazy"),
    ],
)
def test_what_is_wrong_with_the_call_is_said(call: Callable[[nn.Module], object], words: str) -> None:
    with pytest.raises(whygrad.UsageError, match=words):
        call(model())
