"""The calls of torch's loss functions, as functions and as modules, with their arguments by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whygrad.lint.torch_names import LOSS_FUNCTIONS

if TYPE_CHECKING:
    from whygrad.lint.module import Module

#: The function of each loss module.
_MODULES = {
    "torch.nn.CrossEntropyLoss": "cross_entropy", "torch.nn.NLLLoss": "nll_loss", "torch.nn.KLDivLoss": "kl_div",
    "torch.nn.BCELoss": "binary_cross_entropy", "torch.nn.BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "torch.nn.CTCLoss": "ctc_loss", "torch.nn.MSELoss": "mse_loss", "torch.nn.L1Loss": "l1_loss",
    "torch.nn.SmoothL1Loss": "smooth_l1_loss", "torch.nn.HuberLoss": "huber_loss",
}  # fmt: skip
_INPUT = ("input", "log_probs")


@dataclass(frozen=True, eq=False)
class LossCall:
    """``function``: the name in ``torch.nn.functional``. ``options`` are the keywords of the function, or of the call that
    made the module (None if that is not known); ``maker`` is that call, if it stands in this file."""

    function: str
    call: ast.Call
    input: ast.expr
    target: ast.expr | None
    options: dict[str, ast.expr] | None
    maker: ast.Call | None = None


def loss_calls(module: Module, *functions: str) -> Iterator[LossCall]:
    """The calls of these losses in the file."""
    if not module.mentions("loss", "criterion", "entropy", "kl_div"):
        return
    for call in module.calls():
        name = module.dotted(call.func)
        maker: ast.Call | None = None
        if name in LOSS_FUNCTIONS:
            function = name.rpartition(".")[2]
            options: dict[str, ast.expr] | None = _keywords(call)
        else:
            if not call.args or name.startswith("torch."):
                continue
            instance = module.instance(call.func)
            if instance is None or instance.name not in _MODULES:
                continue
            function = _MODULES[instance.name]
            maker = instance.call if instance.module is module else None
            options = _keywords(instance.call) if instance.call is not None else None
        if function not in functions or any(isinstance(a, ast.Starred) for a in call.args):
            continue
        given = _keywords(call)
        first = call.args[0] if call.args else next((given[n] for n in _INPUT if n in given), None)
        second = call.args[1] if len(call.args) > 1 else given.get("target")
        if first is not None:
            yield LossCall(function, call, first, second, options, maker)


def _keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
