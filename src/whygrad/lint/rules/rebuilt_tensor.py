"""The static half of ``whygrad.rules.rebuilt_tensor``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.rebuilding import cut_in
from whygrad.lint.writing import removed, replaced_by_part


def check(module: Module) -> Iterator[Hit]:
    """A loss, or what a module returns, that goes through torch.tensor(...), torch.Tensor([...]) or Variable(...)."""
    told: set[ast.AST] = set()
    for loss in module.losses():
        yield from _through(module, loss.node, loss.call, told)
    for output in module.outputs():
        yield from _through(module, output, None, told)


def _through(module: Module, end: ast.expr, backward: ast.Call | None, told: set[ast.AST]) -> Iterator[Hit]:
    for value in module.upstream(end):
        call = value.node
        if value.module is not module or not isinstance(call, ast.Call) or call in told:
            continue
        argument = cut_in(module, call)
        if argument is None or not module.has_history(argument):
            continue
        told.add(call)
        whole = backward is not None and module.without_history(end)
        name = module.source.segment(call.func)
        yield Hit(
            call,
            f"{name}(...) copies numbers, without their history: what they were computed from gets no gradient",
            _advice(module, call, argument),
            severity="error" if whole else "warning",
            link=5,
            role="cut",
            also=((backward, "backward"),) if backward is not None else (),
            edits=_unwrapped(module, call, argument),
        )


def _advice(module: Module, call: ast.Call, argument: ast.expr) -> str:
    if isinstance(argument, ast.List | ast.Tuple | ast.ListComp):
        return "Join the tensors with torch.stack or torch.cat, which keep their history."
    return (
        f"Use {module.source.segment(argument)} itself; a result that is already a tensor needs no wrapping."
    )


def _unwrapped(module: Module, call: ast.Call, argument: ast.expr) -> Fix | None:
    """The tensor in the place of its copy. Not for lists: whether to stack or to join them is for the user to say."""
    if isinstance(argument, ast.List | ast.Tuple | ast.ListComp) or module.category(argument) == "parameter":
        return None
    statement = module.tree.parent(call)
    if isinstance(statement, ast.Assign) and [ast.dump(t) for t in statement.targets] == [_stored(argument)]:
        gone = removed(module, statement)
        if gone is not None:
            return Fix((gone,))
    return Fix((replaced_by_part(module, call, argument),))


def _stored(node: ast.expr) -> str:
    """The dump of a name or attribute as it is when assigned to."""
    return ast.dump(node).replace("ctx=Load()", "ctx=Store()", 1) if isinstance(node, ast.Name) else ""
