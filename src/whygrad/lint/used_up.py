"""Generators of parameters that are gone through twice: the second time there is nothing in them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.edits import Fix, insert
from whygrad.lint.flow import ELSEWHERE
from whygrad.lint.module import Module

_GENERATORS = ("parameters", "named_parameters", "buffers", "children", "modules", "named_modules")
_LAZY = frozenset({"filter", "map", "zip", "enumerate", "itertools.chain", "itertools.chain.from_iterable"})
#: What goes through its argument.
_CONSUMING = frozenset({"sum", "list", "tuple", "sorted", "set", "dict", "max", "min", "any", "all"})


@dataclass(frozen=True, eq=False)
class Twice:
    """``made``: the generator; ``first`` and ``second``: the names by which it is gone through, in that order; ``call``:
    the call that gets nothing, if it is one."""

    made: ast.expr
    first: ast.Name
    second: ast.Name
    call: ast.Call | None

    def mended(self, module: Module) -> Fix:
        """``list(...)`` around it."""
        span = module.source.span(self.made)
        return Fix((insert(span.start, "list("), insert(span.end, ")")))


def used_twice(module: Module) -> Iterator[Twice]:
    """Every generator under a local name that is surely gone through before it is gone through again."""
    for statement in module.nodes(ast.Assign):
        target = statement.targets[0]
        if (
            len(statement.targets) != 1
            or not isinstance(target, ast.Name)
            or not is_generator(module, statement.value)
        ):
            continue
        uses = [
            use
            for use in module.nodes(ast.Name)
            if use.id == target.id and isinstance(use.ctx, ast.Load) and _only(module, use, statement)
        ]
        going = [use for use in uses if _goes_through(module, use)]
        for first, second in itertools.pairwise(going):
            if _surely_before(module, statement, first, second):
                yield Twice(statement.value, first, second, _call(module, second))
                break


def alone(optimizer: ast.Call, name: ast.Name) -> bool:
    """Whether that name is all that an optimizer is given."""
    named = next((k.value for k in optimizer.keywords if k.arg == "params"), None)
    return (optimizer.args[0] if optimizer.args else named) is name


def is_generator(module: Module, node: ast.expr) -> bool:
    """Whether an expression is a generator over parts of a module."""
    if isinstance(node, ast.GeneratorExp):
        return any(isinstance(g.iter, ast.Call) and is_generator(module, g.iter) for g in node.generators[:1])
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in _GENERATORS and not node.args:
        return module.category(node.func.value) == "module"
    name = getattr(node.func, "id", "") or module.dotted(node.func)
    lazy = name in _LAZY or module.dotted(node.func) in _LAZY
    return lazy and any(is_generator(module, argument) for argument in node.args)


def _only(module: Module, use: ast.Name, statement: ast.Assign) -> bool:
    found = module.definitions(use)
    return found is not None and len(found) == 1 and found[0] is not ELSEWHERE and found[0].node is statement


def _goes_through(module: Module, use: ast.Name) -> bool:
    around = module.tree.parent(use)
    if isinstance(around, ast.For | ast.comprehension):
        return use is around.iter
    if isinstance(around, ast.Starred):
        return True
    return _call(module, use) is not None


def _call(module: Module, use: ast.Name) -> ast.Call | None:
    """The call that goes through the generator: an optimizer's, ``list``, ``clip_grad_norm_``."""
    around = module.tree.parent(use)
    while isinstance(around, ast.Dict | ast.List | ast.keyword):
        around = module.tree.parent(around)
    if not isinstance(around, ast.Call) or use is around.func:
        return None
    name = getattr(around.func, "id", "")
    full = module.dotted(around.func)
    if name in _CONSUMING and not full:
        return around
    if full.startswith("torch.nn.utils.clip_grad") or module.category(around) == "optimizer":
        return around
    return None


def _surely_before(module: Module, made: ast.stmt, first: ast.Name, second: ast.Name) -> bool:
    """Whether the first use comes before the second whenever that does: in the block of the assignment, or right in it."""
    block = _block(module, made)
    one, two = _in_block(module, block, first), _in_block(module, block, second)
    if (
        one is None
        or two is None
        or isinstance(one, ast.If | ast.While | ast.Try | ast.FunctionDef | ast.ClassDef)
    ):
        return False
    if isinstance(one, ast.For) and first not in ast.walk(one.iter):
        return False
    if one is two or block.index(one) >= block.index(two):
        return False
    return not any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(one))


def _block(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    around = module.tree.parent(statement)
    blocks = [getattr(around, name, None) for name in ("body", "orelse", "finalbody")]
    return next((b for b in blocks if isinstance(b, list) and statement in b), [])


def _in_block(module: Module, block: list[ast.stmt], node: ast.AST) -> ast.stmt | None:
    for above in (node, *module.tree.above(node)):
        if isinstance(above, ast.stmt) and above in block:
            return above
    return None
