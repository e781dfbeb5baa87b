"""The static half of ``whygrad.rules.softmax_before_cross_entropy``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.before_loss import applied, taken_away, wrongly_given
from whygrad.lint.hits import Hit
from whygrad.lint.last_layer import produced
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Probabilities as the input of cross_entropy, of log_softmax, or as the logits of a distribution."""
    for loss, one in wrongly_given(module, ("cross_entropy",), ("softmax",)):
        yield applied(
            module,
            loss,
            one,
            "softmax in front of cross_entropy, which takes the softmax itself",
            "Give cross_entropy the scores as they are before the softmax; apply softmax where probabilities are wanted.",
            taken_away(module, loss, one),
        )
    for call, given, name in _twice(module):
        found = produced(module, given)
        if found and all(one.what == "softmax" and one.module is module for one in found):
            for one in found:
                yield Hit(
                    one.node,
                    f"softmax in front of {name}, which takes the softmax itself",
                    f"Give {name} the scores as they are before the softmax.",
                    link=10,
                    role="applied",
                    also=((call, "second"),),
                )


def _twice(module: Module) -> Iterator[tuple[ast.Call, ast.expr, str]]:
    """What is normalised by another function than a loss: the call, its input, and how it reads."""
    for call in module.calls("torch.log_softmax", "torch.nn.functional.log_softmax"):
        if call.args:
            yield call, call.args[0], "log_softmax"
    for call in module.calls(
        "torch.distributions.Categorical", "torch.distributions.categorical.Categorical"
    ):
        for keyword in call.keywords:
            if keyword.arg == "logits":
                yield call, keyword.value, "Categorical(logits=...)"
