"""The static half of ``whygrad.rules.scores_into_nll``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.before_loss import applied, missing, wrongly_given
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Scores, or probabilities without the logarithm, as the input of nll_loss."""
    if any(True for _ in module.method_calls("logsumexp")):
        return  # nll_loss picks the scores, the normalisation is added beside
    for loss, one in wrongly_given(module, ("nll_loss",), ("scores", "softmax", "relu")):
        what = "probabilities without the logarithm" if one.what == "softmax" else "raw scores"
        tell = applied if one.what == "softmax" else missing
        yield tell(
            module,
            loss,
            one,
            f"nll_loss is given {what}; it expects the result of log_softmax",
            "Take cross_entropy (CrossEntropyLoss) on the scores, or apply log_softmax to them first.",
        )
