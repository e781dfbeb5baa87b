"""The static half of ``whygrad.rules.batchnorm_momentum``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_LAYERS = ("torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d", "torch.nn.SyncBatchNorm")
_HIGH = 0.95


def check(module: Module) -> Iterator[Hit]:
    """A momentum near 1, as other frameworks count it: in torch it is the share of the newest batch."""
    for call in module.calls(*_LAYERS):
        given = next(
            (k.value for k in call.keywords if k.arg == "momentum"),
            call.args[2] if len(call.args) > 2 else None,
        )
        if (
            not isinstance(given, ast.Constant)
            or not isinstance(given.value, float)
            or not _HIGH <= given.value < 1
        ):
            continue
        meant = round(1 - given.value, 6)
        yield Hit(
            call,
            f"momentum={given.value} makes the running statistics those of the last batch: torch counts the newest batch's share",
            f"Write momentum={meant}; what other frameworks call {given.value} is {meant} here.",
            severity="warning",
            link=10,
            role="momentum",
            edits=Fix((replace(module.source.span(given), str(meant)),), safe=False),
        )
