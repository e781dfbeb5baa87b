"""The static half of ``whygrad.rules.parameter_created_in_forward``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.finding import Severity
from whygrad.lint.classes import ClassInfo, assigned
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.parametric import PARAMETRIC, without_own

_CONDITIONS = (ast.If, ast.IfExp, ast.Try, ast.While, ast.BoolOp, ast.Match, ast.Lambda)
_PARAMETER = "torch.nn.Parameter"


def check(module: Module) -> Iterator[Hit]:
    """A Parameter, or a layer with parameters, that is made anew in every ``forward``, there or in a method it calls."""
    for info in module.module_classes():
        forward = info.methods.get("forward")
        if forward is None or _frozen(forward):
            continue
        for node in module.body_nodes(forward):
            if not isinstance(node, ast.Call) or _conditional(module, node, forward):
                continue
            made = node if _creates(module, node) else _by_helper(module, info, node)
            if made is not None and module.grad_disabled(made) is None and _counts(module, info, made, node):
                yield _hit(module, info, node, made)


def _hit(module: Module, info: ClassInfo, node: ast.Call, made: ast.Call) -> Hit:
    what = f"{module.source.segment(made.func)}(...)"
    here = "" if made is node else f", by {module.source.segment(node.func)}()"
    # the untrained weights of a normalisation do nothing, those of another layer are noise
    mild = module.dotted(made.func).endswith("Norm")
    severity: Severity = "warning" if mild else "error"
    return Hit(
        node,
        f"{what} is made anew at every forward pass of {info.name}{here}: what one step learns, the next pass throws away",
        f"Make it once in {info.name}.__init__ and keep it in an attribute.",
        severity=severity,
        link=1,
        role="created",
        also=((made, "created"),) if made is not node else (),
    )


def _creates(module: Module, call: ast.Call) -> bool:
    name = module.dotted(call.func)
    return (name in PARAMETRIC and not without_own(call)) or (name == _PARAMETER and _trainable(call))


def _by_helper(module: Module, info: ClassInfo, call: ast.Call) -> ast.Call | None:
    """What a method called on ``self`` makes at every call, if it keeps it in an attribute or returns it."""
    if not isinstance(call.func, ast.Attribute) or chain(call.func) != f"self.{call.func.attr}":
        return None
    method = info.methods.get(call.func.attr)
    if method is None or _frozen(method):
        return None
    for node in module.body_nodes(method):
        if isinstance(node, ast.Call) and _creates(module, node) and not _conditional(module, node, method):
            statement = module.tree.statement(node)
            if isinstance(statement, ast.Return) and statement.value is node:
                return node
            if _attribute_of(statement, node):
                return node
    return None


def _counts(module: Module, info: ClassInfo, made: ast.Call, call: ast.Call) -> bool:
    """Whether what is made has a part in the result: kept in an attribute that is read, called, or computed with."""
    kept = _attribute_of(module.tree.statement(made), made)
    if kept:
        reads = (
            n for n in ast.walk(info.node) if isinstance(n, ast.Attribute) and chain(n) == f"self.{kept}"
        )
        return any(isinstance(read.ctx, ast.Load) for read in reads)
    forward = info.methods["forward"]
    for node in module.body_nodes(forward):
        if isinstance(node, ast.Call) and node is not made:
            if node.func is made:
                return True
            if isinstance(node.func, ast.Name) and any(v.node is made for v in module.origins(node.func)):
                return True
    returns = [
        n.value for n in module.body_nodes(forward) if isinstance(n, ast.Return) and n.value is not None
    ]
    return any(value.node in (made, call) for end in returns for value in module.upstream(end))


def _attribute_of(statement: ast.stmt, made: ast.Call) -> str:
    """The attribute of ``self`` that a statement keeps it in."""
    for target, value in assigned(statement):
        if value is made and isinstance(target, ast.Attribute) and chain(target) == f"self.{target.attr}":
            return target.attr
    return ""


def _conditional(module: Module, node: ast.AST, function: ast.AST) -> bool:
    """Whether it is made only now and then (the first time, say)."""
    for above in module.tree.above(node):
        if above is function:
            return False
        if isinstance(above, _CONDITIONS):
            return True
    return True


def _frozen(function: ast.AST) -> bool:
    """Whether a function looks after ``requires_grad`` itself."""
    return any(
        isinstance(n, ast.Attribute) and n.attr.startswith("requires_grad") for n in ast.walk(function)
    )


def _trainable(call: ast.Call) -> bool:
    """Whether a Parameter is not made with requires_grad=False."""
    off = [k.value for k in call.keywords if k.arg == "requires_grad"] + call.args[1:2]
    return not any(isinstance(value, ast.Constant) and value.value is False for value in off)
