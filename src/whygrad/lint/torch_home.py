"""How a file calls the parts of torch."""

from __future__ import annotations

import ast

from whygrad.lint.flow import chain
from whygrad.lint.module import Module


def torch_nn(module: Module) -> str:
    """What ``torch.nn`` is called in the file (``nn``); empty where it is not named."""
    for use in (*module.nodes(ast.Attribute), *module.nodes(ast.Name)):
        if module.dotted(use) == "torch.nn":
            return chain(use)
    return ""
