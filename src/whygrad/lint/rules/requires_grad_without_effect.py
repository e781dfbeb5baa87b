"""The static half of ``whygrad.rules.requires_grad_without_effect``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.flow import chain
from whygrad.lint.freezing import freezes
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.source import Span

_MISSPELT = frozenset(
    {"require_grad", "required_grad", "requires_gard", "requires_grads", "require_grads", "requiers_grad", "requre_grad",
     "requires_gradient", "require_gradient", "requirs_grad", "requires_grad_", "requiresgrad", "requires_Grad", "require_grad_"}
)  # fmt: skip


def check(module: Module) -> Iterator[Hit]:
    """``module.requires_grad = False``, misspelt names, and ``==`` for ``=``: Python accepts them, torch never looks."""
    for node in module.nodes(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and (
                target.attr in _MISSPELT or target.attr == "requires_grad"
            ):
                yield from _assigned(module, node, target)
    for statement in module.nodes(ast.Expr):
        yield from _compared(module, statement)


def _assigned(module: Module, node: ast.Assign, target: ast.Attribute) -> Iterator[Hit]:
    misspelt = target.attr != "requires_grad"
    kind = "parameter" if _is_weight(module, target.value) else module.category(target.value)
    known = module.class_of(target.value)
    if known is not None and _uses(known.node, target.attr):
        return
    if kind not in ("module", "loss") and not (misspelt and kind == "parameter"):
        return
    if _done_after_all(module, node, target):
        return
    owner, value = module.source.segment(target.value), module.source.segment(node.value)
    what = "a parameter" if kind == "parameter" else "a module"
    yield Hit(
        node,
        f"{owner}.{target.attr} = {value} has no effect: {what} has no attribute of that name that autograd would look at",
        f"Write {owner}.requires_grad{'' if kind == 'parameter' else '_'}"
        + (f" = {value}." if kind == "parameter" else f"({value})."),
        severity="warning",
        link=2,
        role="frozen",
        edits=_meant(module, node, target, kind == "parameter"),
    )


def _is_weight(module: Module, node: ast.expr) -> bool:
    """Whether it is the ``weight`` or ``bias`` of one of torch's layers."""
    if not isinstance(node, ast.Attribute) or node.attr not in ("weight", "bias"):
        return False
    owner = module.instance(node.value)
    return owner is not None and owner.category == "module" and owner.info is None


def _compared(module: Module, statement: ast.Expr) -> Iterator[Hit]:
    """``p.requires_grad == True`` as a statement."""
    node = statement.value
    if not (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Attribute)
        and node.left.attr == "requires_grad"
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq)
    ):
        return
    source = module.source
    between = Span(source.span(node.left).end, source.span(node.comparators[0]).start)
    plain = source.text[between.start : between.end].strip() == "=="
    yield Hit(
        statement,
        f"{source.segment(node)} compares and changes nothing",
        f"Write {source.segment(node.left)} = {source.segment(node.comparators[0])}.",
        link=2,
        role="frozen",
        edits=Fix((replace(between, " = "),), safe=False) if plain else None,
    )


def _done_after_all(module: Module, node: ast.Assign, target: ast.Attribute) -> bool:
    """Whether the module's parameters are switched in a way that works, as well."""
    meant = node.value.value if isinstance(node.value, ast.Constant) else None
    return any(
        freeze.name == chain(target.value) and freeze.node is not node and freeze.on in (meant, None)
        and getattr(freeze.node, "lineno", 0) > node.lineno
        for freeze in freezes(module)
    )  # fmt: skip


def _uses(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class has, or reads, an attribute of its own of that name."""
    for node in ast.walk(cls):
        if isinstance(node, ast.FunctionDef) and node.name in (name, "__setattr__"):
            return True
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            return True
    return False


def _meant(module: Module, node: ast.Assign, target: ast.Attribute, parameter: bool) -> Fix | None:
    """The call for a module, the right name for a parameter. What was without effect has one then: for the user to say."""
    if len(node.targets) != 1:
        return None
    source = module.source
    name = Span(source.span(target).end - len(target.attr), source.span(target).end)
    if parameter:
        return Fix((replace(name, "requires_grad"),), safe=False)
    whole = Span(name.start, source.span(node).end)
    return Fix((replace(whole, f"requires_grad_({source.segment(node.value)})"),), safe=False)
