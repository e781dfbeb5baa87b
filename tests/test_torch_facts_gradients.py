"""Facts about torch that the rules on gradients and optimizers rely on."""

from __future__ import annotations

import warnings

import pytest

torch = pytest.importorskip("torch")


def test_duplicates_in_a_group_only_warn_and_step_twice() -> None:
    p = torch.nn.Parameter(torch.zeros(2))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        optimizer = torch.optim.SGD([p, p], lr=0.1)
    assert any("duplicate parameters" in str(w.message) for w in told)
    p.grad = torch.ones(2)
    optimizer.step()
    assert torch.equal(p.detach(), torch.full((2,), -0.2))


def test_duplicates_over_two_groups_raise() -> None:
    p = torch.nn.Parameter(torch.zeros(2))
    with pytest.raises(ValueError, match="more than one parameter group"):
        torch.optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1)


def test_backward_adds_to_what_is_there() -> None:
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        (2 * w).sum().backward()
    assert torch.equal(w.grad, torch.full((3,), 6.0))


def test_clipping_without_gradients_says_zero() -> None:
    p = torch.nn.Parameter(torch.ones(2))
    assert float(torch.nn.utils.clip_grad_norm_([p], 1.0)) == 0.0


def test_a_sum_that_is_carried_on_goes_back_through_all_its_terms() -> None:
    w = torch.ones(1, requires_grad=True)
    total = 0
    norms = []
    for _ in range(3):
        w.grad = None
        total = total + 2 * w
        total.sum().backward(retain_graph=True)
        norms.append(float(w.grad))
    assert norms == [2.0, 4.0, 6.0]
