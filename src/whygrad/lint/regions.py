"""Where gradients are switched off in the source."""

from __future__ import annotations

import ast

from whygrad.lint.tree import Tree

_OFF = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.inference_mode",
        "torch.autograd.grad_mode.no_grad", "torch.autograd.grad_mode.inference_mode")  # fmt: skip
_ON = ("torch.enable_grad", "torch.autograd.enable_grad")
_SET = ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled")


def grad_disabled(tree: Tree, node: ast.AST) -> ast.expr | None:
    """The expression by which gradients are off where ``node`` is evaluated: the innermost that says so decides."""
    below = node
    for above in tree.above(node):
        if isinstance(above, ast.With | ast.AsyncWith) and below in above.body:
            for item in reversed(above.items):
                switched = switch(tree, item.context_expr)
                if switched is not None:
                    return item.context_expr if switched is False else None
        elif isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and below in above.body:
            for decorator in above.decorator_list:
                switched = switch(tree, decorator)
                if switched is not None:
                    return decorator if switched is False else None
            return None
        elif isinstance(above, ast.Lambda):
            return None
        below = above
    return None


def switch(tree: Tree, node: ast.expr) -> bool | str | None:
    """What a context manager or decorator does to gradients: False off, True on, ``'unknown'`` set by a variable, None
    nothing."""
    call = node if isinstance(node, ast.Call) else None
    name = tree.dotted(call.func if call is not None else node)
    if name in _ON:
        return True
    if name not in _OFF and name not in _SET:
        return None
    argument = _argument(call) if call is not None else None
    if name in _OFF and (argument is None or not name.endswith("inference_mode")):
        return False
    if isinstance(argument, ast.Constant) and isinstance(argument.value, bool):
        return argument.value if name in _SET else not argument.value
    return "unknown"


def _argument(call: ast.Call) -> ast.expr | None:
    if call.args:
        return call.args[0]
    return next((k.value for k in call.keywords if k.arg in ("mode",)), None)
