"""The static half of ``whygrad.rules.scheduler_wrong_mode``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.writing import argument_added

_PLATEAU = "torch.optim.lr_scheduler.ReduceLROnPlateau"
_HIGH = re.compile(
    r"(^|_)(acc\w*|accuracy|f1|f1score|auc|auroc|miou|iou|dice|bleu|psnr|ssim|reward|recall|precision)(_|$)",
    re.IGNORECASE,
)
_LOW = re.compile(r"(^|_)(loss\w*|error|err|mse|mae|rmse|perplexity|ppl|wer|cer)(_|$)", re.IGNORECASE)


def check(module: Module) -> Iterator[Hit]:
    """ReduceLROnPlateau that waits for a falling accuracy, or for a rising loss."""
    for step, receiver in module.method_calls("step"):
        scheduler = module.instance(receiver)
        if scheduler is None or scheduler.name != _PLATEAU or scheduler.call is None or not step.args:
            continue
        made, here = scheduler.call, scheduler.module is module
        mode = next(
            (k.value for k in made.keywords if k.arg == "mode"), made.args[1] if len(made.args) > 1 else None
        )
        if mode is not None and not isinstance(mode, ast.Constant):
            continue
        name = chain(step.args[0]).rpartition(".")[2]
        now = "min" if mode is None else str(mode.value)
        high, low = _HIGH.search(name) is not None, _LOW.search(name) is not None
        wanted = "max" if high else "min"
        if high == low or wanted == now:
            continue
        yield Hit(
            made if here else step,
            f"ReduceLROnPlateau with mode {now!r} is given {name}: it lowers the rate while the model gets better",
            f'Write mode="{wanted}".',
            severity="warning",
            link=10,
            role="scheduler",
            also=((step, "given"),) if here else (),
            edits=_rewritten(module, made, mode, wanted) if here else None,
        )


def _rewritten(module: Module, made: ast.Call, mode: ast.expr | None, wanted: str) -> Fix | None:
    if mode is not None:
        return Fix((replace(module.source.span(mode), f'"{wanted}"'),), safe=False)
    edit = argument_added(module, made, f'mode="{wanted}"')
    return Fix((edit,), safe=False) if edit is not None else None
