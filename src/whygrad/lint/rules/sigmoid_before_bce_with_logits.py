"""The static half of ``whygrad.rules.sigmoid_before_bce_with_logits``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.before_loss import applied, taken_away, wrongly_given
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Probabilities as the input of binary_cross_entropy_with_logits."""
    for loss, one in wrongly_given(module, ("binary_cross_entropy_with_logits",), ("sigmoid", "softmax")):
        yield applied(
            module,
            loss,
            one,
            f"{one.what} in front of binary_cross_entropy_with_logits, which takes the sigmoid itself",
            f"Give the loss the scores as they are before the {one.what}, or take binary_cross_entropy (BCELoss).",
            taken_away(module, loss, one) if one.what == "sigmoid" else None,
        )
