"""Layers that heed training and evaluation mode, and what a call of one says of it."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from whygrad.observe.call import Call
from whygrad.observe.statistics import Statistics

NORM = frozenset({"batch_norm", "instance_norm"})
DROPOUT = frozenset({
    "dropout", "dropout_", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout",
})  # fmt: skip
RNN = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})
ATTENTION = frozenset({"multi_head_attention_forward"})


class Layer:
    """A layer, or a functional call within a module; ``ref`` is that module."""

    def __init__(self, ref: Any, what: str, number: int, kind: str, place: int) -> None:
        self.ref, self.what, self.number, self.kind, self.place = ref, what, number, kind, place
        self.p: float | None = None
        self.created = -1
        self.fqn = self.root_kind = ""
        self.root: Any = None
        self.root_training = True
        self.root_seen = False  #: whether that was its mode at a step
        self.params: tuple[int, ...] = ()
        self.own: tuple[int, ...] = ()
        self.explicit = True
        self.now = 0  #: modes since the last step: 1 training, 2 evaluation
        self.follows = True  #: whether its mode is that of ``ref``
        self.spans: list[list[int]] = []
        self.without_grad = self.in_eval = 0
        self.silent: list[int] = []
        self.statistics: Statistics | None = None
        self.switched = -1, -1, False  #: last calls of eval() and of train(), see ``Switches.of``
        self.undone = -1, -1, False  #: see ``Switches.undone``
        self.changed = -1
        self.misfits: list[torch.Tensor] = []
        self.loose = False
        self.around: list[
            weakref.ref[Any]
        ] = []  #: modules that were running at its first call, innermost first


def mode_of(call: Call, name: str, module: Any) -> bool | None:
    """The mode of a call: of the module for torch's layers, else as the call says."""
    if name in RNN or name in ATTENTION:
        return bool(module.training) if module is not None else None
    mode = (
        call.argument(5, "training", call.kwargs.get("use_input_stats", name == "instance_norm"))
        if name in NORM
        else call.argument(2, "training", call.kwargs.get("train", True))
    )
    return mode if type(mode) is bool else None


def share_of(call: Call, name: str, module: Any) -> float | None:
    """The share that a dropout drops, by its call or its module's attribute."""
    if name in ATTENTION or name in RNN:
        layers = module.__dict__.get("num_layers", 2) if name in RNN else 2
        return number_of(module.__dict__.get("dropout", 0.0)) if layers > 1 else 0.0
    return number_of(call.argument(1, "p", 0.5))


def number_of(value: Any) -> float | None:
    """A plain number as a float, None for anything else."""
    return float(value) if type(value) in (int, float) else None
