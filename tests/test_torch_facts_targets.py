"""What the rules about targets, broadcasting and reductions rely on in torch."""

from __future__ import annotations

import math
import warnings

import pytest

torch = pytest.importorskip("torch")
functional = torch.nn.functional


@pytest.mark.parametrize(
    "loss", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss"]
)
def test_elementwise_losses_broadcast_a_column_against_a_row(loss: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = getattr(functional, loss)(torch.rand(5, 1), torch.rand(5), reduction="none")
    assert tuple(result.shape) == (5, 5)


def test_binary_cross_entropy_does_not_broadcast() -> None:
    for loss in (functional.binary_cross_entropy, functional.binary_cross_entropy_with_logits):
        with pytest.raises(ValueError, match="size"):
            loss(torch.rand(5, 1), torch.rand(5))


def test_a_mean_over_an_empty_mask_gives_nan_gradients_but_ignored_targets_give_zeros() -> None:
    logits = torch.randn(4, 3, requires_grad=True)
    each = functional.cross_entropy(logits, torch.zeros(4, dtype=torch.long), reduction="none")
    mask = torch.zeros(4)
    (bad,) = torch.autograd.grad((each * mask).sum() / mask.sum(), logits)
    loss = functional.cross_entropy(logits, torch.full((4,), -100))
    (good,) = torch.autograd.grad(loss, logits)
    assert torch.isnan(bad).all()
    assert math.isnan(loss.item())
    assert (good == 0).all()


def test_targets_outside_of_what_a_loss_is_made_for_are_accepted() -> None:
    score = torch.tensor([0.3, -0.2], requires_grad=True)
    far = functional.binary_cross_entropy_with_logits(torch.tensor([100.0]), torch.tensor([255.0]))
    assert far.item() < 0
    (gradient,) = torch.autograd.grad(functional.soft_margin_loss(score, torch.zeros(2)), score)
    assert (gradient == 0).all()
