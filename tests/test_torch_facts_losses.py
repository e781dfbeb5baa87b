"""Facts about torch's loss functions that the rules about what reaches a loss rely on."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")
functional = torch.nn.functional


def test_log_softmax_of_log_probabilities_is_themselves() -> None:
    scores, labels = torch.randn(8, 5), torch.randint(0, 5, (8,))
    once = functional.log_softmax(scores, 1)
    assert torch.allclose(functional.log_softmax(once, 1), once, atol=1e-6)
    assert torch.allclose(
        functional.cross_entropy(once, labels), functional.cross_entropy(scores, labels), atol=1e-6
    )


def test_the_least_cross_entropy_of_probabilities() -> None:
    sure = torch.eye(10)
    least = functional.cross_entropy(sure, torch.arange(10))
    assert least.item() == pytest.approx(math.log1p(9 * math.exp(-1)), abs=1e-5)
    assert least.item() == pytest.approx(1.46, abs=0.01)


def test_the_sigmoid_of_a_probability_lies_between_half_and_seven_tenths() -> None:
    ends = torch.tensor([0.0, 1.0])
    assert torch.sigmoid(ends).tolist() == pytest.approx([0.5, 0.7311], abs=1e-4)
    best = functional.binary_cross_entropy_with_logits(ends, ends, reduction="none")
    assert best.tolist() == pytest.approx([0.6931, 0.3133], abs=1e-4)


def test_nll_loss_checks_nothing() -> None:
    scores = torch.tensor([[5.0, -5.0]])
    assert functional.nll_loss(scores, torch.tensor([0])).item() == -5.0


def test_ctc_loss_adds_the_exponential_to_the_gradient_of_raw_scores() -> None:
    torch.manual_seed(0)
    scores = torch.randn(6, 1, 3, dtype=torch.float64, requires_grad=True)
    sizes = torch.tensor([6]), torch.tensor([2])
    targets = torch.tensor([[1, 2]])

    def loss(given: torch.Tensor) -> torch.Tensor:
        return functional.ctc_loss(given, targets, *sizes, reduction="sum")

    (told,) = torch.autograd.grad(loss(scores), scores)
    step = torch.zeros_like(scores)
    step[2, 0, 1] = 1e-6
    with torch.no_grad():
        true = (loss(scores + step) - loss(scores - step)) / 2e-6
    assert (told[2, 0, 1] - true).item() == pytest.approx(scores[2, 0, 1].exp().item(), rel=1e-4)


def test_kl_div_takes_anything_and_is_negative_for_probabilities() -> None:
    p = torch.full((4, 5), 0.2)
    assert functional.kl_div(p, p, reduction="batchmean").item() < -1
    assert functional.kl_div(p.log(), p, reduction="batchmean").item() == pytest.approx(0, abs=1e-6)
    assert math.isnan(functional.kl_div(p, p.log(), reduction="batchmean").item())


def test_binary_cross_entropy_raises_outside_of_its_range() -> None:
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        functional.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))


def test_a_softmax_without_a_dimension_takes_0_for_three_and_1_for_two() -> None:
    with pytest.warns(UserWarning, match="Implicit dimension"):
        three = functional.softmax(torch.randn(2, 3, 4))
    with pytest.warns(UserWarning, match="Implicit dimension"):
        two = functional.softmax(torch.randn(2, 3))
    assert torch.allclose(three.sum(0), torch.ones(3, 4))
    assert torch.allclose(two.sum(1), torch.ones(2))


def test_half_precision_leaves_little_of_a_logsumexp() -> None:
    torch.manual_seed(0)
    rows = functional.log_softmax((4 * torch.randn(64, 100)).bfloat16(), 1).float()
    assert torch.logsumexp(rows, 1).abs().mean().item() < 0.05
