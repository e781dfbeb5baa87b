"""The static half of ``whygrad.rules.buffer_instead_of_parameter``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_LEARNED = ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "trunc_normal_")
_NAMES = re.compile(
    r"(^|_)(query|queries|tokens?|prompts?|slots?|prototypes?|cls|latents?|codes)(_|$)|query_embed"
)


def check(module: Module) -> Iterator[Hit]:
    """A buffer that begins at random values as weights do, and that nothing ever changes."""
    for call, receiver in module.method_calls("register_buffer"):
        if (
            len(call.args) < 2
            or not isinstance(call.args[0], ast.Constant)
            or not isinstance(receiver, ast.Name)
        ):
            continue
        info = module.class_of(receiver)
        name = str(call.args[0].value)
        if info is None or not module.is_module_class(info) or _is_changed(module, name):
            continue
        if _begins_as_weights(module, call.args[1], name):
            yield Hit(
                call,
                f"the buffer {name} starts at random values and is never changed: no optimizer gets it",
                f"If it is to be learned: self.{name} = nn.Parameter(...).",
                severity="warning",
                link=1,
                role="not registered",
            )


def _begins_as_weights(module: Module, node: ast.expr, name: str) -> bool:
    """Whether a value was drawn by an initialisation for weights, or by randn under a name of something that is learned."""
    value = module.origins(node).only
    made = value.node if value is not None and not value.part else None
    while isinstance(made, ast.BinOp):
        made = made.left
    if value is None or not isinstance(made, ast.Call):
        return False
    full = value.module.dotted(made.func)
    if full.startswith("torch.nn.init."):
        return full.rpartition(".")[2] in _LEARNED
    return full == "torch.randn" and bool(_NAMES.search(name))


def _is_changed(module: Module, name: str) -> bool:
    """Whether the file writes to the buffer in any way."""
    writes = rf"\.{re.escape(name)}(\.data)?(\[[^\]]*\])?\s*([-+*/@]?=(?!=)|\.\w+_\()"
    return re.search(writes, module.source.text) is not None
