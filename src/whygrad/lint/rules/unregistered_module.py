"""The static half of ``whygrad.rules.unregistered_module``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.classes import Attribute, ClassInfo
from whygrad.lint.edits import Fix, insert
from whygrad.lint.hidden import Hiding, hidings
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.registering import used_elsewhere
from whygrad.lint.torch_home import torch_nn

_KINDS = {"list": "ModuleList", "tuple": "ModuleList", "dict": "ModuleDict"}


def check(module: Module) -> Iterator[Hit]:
    """Layers that a module keeps where ``parameters()`` does not look: in a list or dict of Python, in an object of another
    class, in a function, on the class itself."""
    for info in module.module_classes():
        for name, attributes in info.attributes.items():
            if len(attributes) == 1 and attributes[0].how == "value":
                hiding = hidings(module, info, attributes[0])
                if hiding is not None and not used_elsewhere(module, info, name):
                    yield _hit(module, info, attributes[0], hiding)


def _hit(module: Module, info: ClassInfo, attribute: Attribute, hiding: Hiding) -> Hit:
    home = torch_nn(module) or "torch.nn"
    wanted = f"{home}.{_KINDS.get(hiding.kind, 'ModuleList')}"
    if hiding.kind in _KINDS and hiding.only_parameters:
        wanted = wanted.replace("Module", "Parameter")
    advice = {
        "object": f"Let {hiding.name} derive from {home}.Module, with super().__init__() first in its __init__.",
        "function": "Keep the layer in an attribute of its own as well.",
        "class": f"Make it in {info.name}.__init__ and keep it as self.{attribute.name}.",
    }.get(hiding.kind, f"Keep them in {wanted}(...).")
    where = {
        "object": f"an object of {hiding.name}, which is no Module",
        "function": "a function that holds a layer",
        "class": "an attribute of the class, not of its objects",
    }.get(hiding.kind, f"a plain {hiding.kind} of Python")
    return Hit(
        attribute.node,
        f"self.{attribute.name} is {where}, so that {info.name} does not know the layers in it: "
        "parameters() leaves them out",
        advice,
        link=1,
        role="unregistered",
        also=tuple((node, "made") for node in hiding.made[:1] if node is not attribute.value),
        edits=_wrapped(module, attribute, hiding, wanted),
    )


def _wrapped(module: Module, attribute: Attribute, hiding: Hiding, wanted: str) -> Fix | None:
    """The container around what is assigned. A dict's keys must be strings without dots: where that is not written out,
    it is for the user to say."""
    if hiding.kind not in _KINDS or not hiding.flat or not torch_nn(module) or attribute.value is None:
        return None
    value = attribute.value
    named = isinstance(value, ast.Dict) and bool(value.keys) and not hiding.later
    strings = isinstance(value, ast.Dict) and all(
        isinstance(key, ast.Constant) and isinstance(key.value, str) and "." not in key.value
        for key in value.keys
    )
    span = module.source.span(value)
    return Fix(
        (insert(span.start, f"{wanted}("), insert(span.end, ")")),
        safe=hiding.kind != "dict" or (named and strings),
    )
