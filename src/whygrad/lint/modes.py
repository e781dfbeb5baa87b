"""Which modules behave differently in training and in evaluation."""

from __future__ import annotations

import ast
import re

from whygrad.lint.classes import ClassInfo
from whygrad.lint.kinds import Instance
from whygrad.lint.module import Module
from whygrad.lint.parametric import classes_of, elements, made_in_init

_ALWAYS = re.compile(
    r"^torch\.nn\.(Lazy)?(BatchNorm[123]d|SyncBatchNorm)$|^torch\.nn\.(Alpha|FeatureAlpha)?Dropout[123]?d?$"
)
#: Layers with dropout inside, and the rate they have where none is given.
_INSIDE = {
    "TransformerEncoderLayer": 0.1,
    "TransformerDecoderLayer": 0.1,
    "Transformer": 0.1,
    "LSTM": 0.0,
    "GRU": 0.0,
    "RNN": 0.0,
}
_DEPTH = 4


def heeds_mode(instance: Instance | None, depth: int = 0) -> bool:
    """Whether a module surely has dropout (with a rate that is written out and is not 0) or batch normalisation."""
    if instance is None or instance.category != "module" or depth > _DEPTH:
        return False
    call, module = instance.call, instance.module
    last = instance.name.removeprefix("torch.nn.")
    if call is not None and instance.info is None and module is not None:
        if _ALWAYS.match(instance.name):
            return "Dropout" not in last or _rate(call, 0.5, 0) > 0
        if last in _INSIDE:
            return _rate(call, _INSIDE[last], None) > 0
        if last in ("Sequential", "ModuleList", "ModuleDict", "TransformerEncoder", "TransformerDecoder"):
            parts = [part for arg in call.args for part in elements(arg)]
            return any(heeds_mode(module.instance(part), depth + 1) for part in parts)
        return False
    classes = classes_of(instance)
    return any(heeds_mode(made, depth + 1) for made in made_in_init(classes)) or any(
        _functional(home, info) for home, info in classes
    )


def _rate(call: ast.Call, default: float, index: int | None) -> float:
    """The rate of dropout; 0 where it is not a number in the source."""
    given = next((k.value for k in call.keywords if k.arg in ("p", "dropout")), None)
    if given is None and index is not None and len(call.args) > index:
        given = call.args[index]
    if given is None:
        return default
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, int | float) else 0.0


def _functional(home: Module, info: ClassInfo) -> bool:
    """``F.dropout(x, 0.5, self.training)`` in the ``forward``."""
    forward = info.methods.get("forward")
    for node in home.body_nodes(forward) if forward is not None else ():
        if isinstance(node, ast.Call) and home.dotted(node.func) == "torch.nn.functional.dropout":
            training = any("self.training" in home.source.segment(a) for a in (*node.args, *node.keywords))
            if training and _rate(node, 0.5, 1) > 0:
                return True
    return False
