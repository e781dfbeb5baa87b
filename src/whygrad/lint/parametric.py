"""Which modules have parameters of their own, as far as their classes tell."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.lint import kinds
from whygrad.lint.classes import ClassInfo

if TYPE_CHECKING:
    from whygrad.lint.kinds import Instance
    from whygrad.lint.module import Module

#: The modules of torch that always have parameters (torch 2.6 to 2.13); those that only may have some are left out.
PARAMETRIC = frozenset(
    "torch.nn." + name
    for name in (
        "Linear", "Bilinear", "LazyLinear", "Embedding", "EmbeddingBag", "MultiheadAttention", "PReLU",
        "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell",
        "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer",
        *(f"{lazy}Conv{kind}{d}d" for lazy in ("", "Lazy") for kind in ("", "Transpose") for d in (1, 2, 3)),
        *(f"{lazy}BatchNorm{d}d" for lazy in ("", "Lazy") for d in (1, 2, 3)),
        "LayerNorm", "GroupNorm", "RMSNorm", "SyncBatchNorm",
    )
)  # fmt: skip
_CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})
_DEPTH = 4


def has_parameters(instance: Instance | None, depth: int = 0) -> bool:
    """Whether an object is a module that surely has parameters: one of torch's, or one of this project's classes that
    makes such a module or a Parameter in its ``__init__``."""
    if instance is None or instance.category not in ("module", "parameter") or depth > _DEPTH:
        return False
    if instance.category == "parameter" or instance.name in PARAMETRIC:
        return instance.category == "parameter" or not without_own(instance.call)
    if instance.name in _CONTAINERS and instance.call is not None and instance.module is not None:
        parts = [node for arg in instance.call.args for node in elements(arg)]
        return any(has_parameters(instance.module.instance(part), depth + 1) for part in parts)
    return any(has_parameters(made, depth + 1) for made in made_in_init(classes_of(instance)))


def classes_of(instance: Instance) -> list[tuple[Module, ClassInfo]]:
    """The class of an object and those that it derives from, with their modules, as far as they are this project's."""
    if instance.info is None or instance.home is None:
        return []
    derived = kinds.bases(instance.home, instance.info)
    return [(instance.home, instance.info), *((home, b) for b, home in derived if isinstance(b, ClassInfo))]


def made_in_init(classes: list[tuple[Module, ClassInfo]]) -> Iterator[Instance | None]:
    """What the ``__init__`` of each of these classes assigns to attributes."""
    for home, info in classes:
        for attribute in itertools.chain.from_iterable(info.attributes.values()):
            if attribute.value is not None and getattr(attribute.method, "name", "") == "__init__":
                yield home.instance(attribute.value)


def without_own(call: ast.Call | None) -> bool:
    """Whether a layer may be made without the parameters that its kind has: ``elementwise_affine=False``, frozen ones."""
    keywords = call.keywords if call is not None else []
    return any(
        (
            k.arg in ("affine", "elementwise_affine")
            and not (isinstance(k.value, ast.Constant) and k.value.value)
        )
        or k.arg is None
        for k in keywords
    ) or (call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "from_pretrained")


def elements(node: ast.expr) -> list[ast.expr]:
    """The elements of a display or comprehension, however deep, else the expression itself."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [part for element in node.elts for part in elements(element)]
    if isinstance(node, ast.Dict):
        return [part for value in node.values for part in elements(value)]
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return elements(node.elt)
    if isinstance(node, ast.DictComp):
        return elements(node.value)
    if isinstance(node, ast.Starred):
        return elements(node.value)
    return [node]
