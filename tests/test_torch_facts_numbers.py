"""Facts about torch that the rules on numbers rely on."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")


def test_the_usual_eps_is_zero_in_float16_and_the_first_step_of_adam_divides_by_it() -> None:
    assert torch.tensor(1e-8, dtype=torch.float16) == 0
    assert torch.tensor(1e-8, dtype=torch.bfloat16) > 0
    weight = torch.nn.Parameter(torch.ones(3, dtype=torch.float16))
    weight.grad = torch.full((3,), 1e-4, dtype=torch.float16)
    torch.optim.Adam([weight], lr=1e-3).step()
    assert not torch.isfinite(weight).any()


def test_a_zero_gradient_over_a_zero_eps_is_nan() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.zeros(3)
    torch.optim.Adam([weight], lr=1e-3, eps=0.0).step()
    assert torch.isnan(weight).all()


def test_a_write_through_data_is_not_noticed_by_backward_and_one_through_detach_is() -> None:
    for write, noticed in ((lambda h: h.data.mul_(2), False), (lambda h: h.detach().mul_(2), True)):
        x = torch.ones(3, requires_grad=True)
        h = x.exp()
        loss = h.sum()
        write(h)
        if noticed:
            with pytest.raises(RuntimeError, match="inplace"):
                loss.backward()
        else:
            loss.backward()
            assert torch.allclose(x.grad, 2 * torch.ones(3).exp())  # of the numbers written, not of exp(1)


def test_decay_is_added_to_the_gradient_by_adam_and_taken_off_the_weight_by_adamw() -> None:
    weights = {}
    for kind in (torch.optim.Adam, torch.optim.AdamW):
        weight = weights[kind] = torch.nn.Parameter(torch.ones(2))
        weight.grad = torch.zeros(2)
        kind([weight], lr=0.01, weight_decay=0.5).step()
    assert torch.allclose(weights[torch.optim.Adam].detach(), torch.full((2,), 0.99), atol=1e-5)
    assert torch.allclose(weights[torch.optim.AdamW].detach(), torch.full((2,), 0.995), atol=1e-5)


def test_equal_rows_stay_equal() -> None:
    first, last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
    for p in (first.weight, last.weight):
        torch.nn.init.constant_(p, 0.1)
    torch.nn.init.zeros_(first.bias)
    optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (last(torch.relu(first(torch.randn(8, 3)))) - 1).pow(2).mean().backward()
        optimizer.step()
    assert (first.weight - first.weight[:1]).abs().max() < 1e-6
    assert not torch.allclose(first.weight, torch.full((4, 3), 0.1))
