"""The static half of ``whygrad.rules.scores_into_bce``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.before_loss import missing, wrongly_given
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Scores, or what tanh gives, as the input of binary_cross_entropy."""
    for loss, one in wrongly_given(
        module, ("binary_cross_entropy",), ("scores", "tanh", "relu", "log_softmax")
    ):
        yield missing(
            module,
            loss,
            one,
            "binary_cross_entropy is given scores; it expects probabilities between 0 and 1",
            "Take binary_cross_entropy_with_logits (BCEWithLogitsLoss) on the scores.",
        )
