"""The static half of ``whygrad.rules.kl_div_arguments``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.before_loss import missing, wrongly_given
from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.last_layer import Produced
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Scores or probabilities as the input of kl_div, which expects log-probabilities."""
    for loss, one in wrongly_given(module, ("kl_div",), ("scores", "softmax", "sigmoid")):
        what = "scores" if one.what == "scores" else "probabilities"
        yield missing(
            module,
            loss,
            one,
            f"kl_div is given {what} as its input; it expects log-probabilities, and probabilities as its target",
            "Give it log_softmax of the model's scores first, softmax of the target's second.",
            _logarithm(module, one)
            if any(above is loss.call for above in module.tree.above(one.node))
            else None,
        )


def _logarithm(module: Module, one: Produced) -> Fix | None:
    """``softmax`` becomes ``log_softmax``, in the call of the loss."""
    if one.what != "softmax" or one.module is not module or not isinstance(one.node, ast.Call):
        return None
    text = module.source.segment(one.node.func)
    if not text.endswith("softmax"):
        return None
    return Fix(
        (replace(module.source.span(one.node.func), f"{text.removesuffix('softmax')}log_softmax"),),
        safe=False,
    )
