"""The static half of ``whygrad.rules.ctc_without_log_softmax``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.before_loss import applied, missing, wrongly_given
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Scores or probabilities as the input of ctc_loss."""
    for loss, one in wrongly_given(module, ("ctc_loss",), ("scores", "softmax")):
        what = "probabilities" if one.what == "softmax" else "scores"
        instead = (
            "log_softmax in place of softmax"
            if one.what == "softmax"
            else "log_softmax over the classes first"
        )
        tell = applied if one.what == "softmax" else missing
        yield tell(
            module,
            loss,
            one,
            f"ctc_loss is given {what}; it expects the result of log_softmax",
            f"Apply {instead}.",
        )
