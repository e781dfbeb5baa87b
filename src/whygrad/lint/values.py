"""Where a value comes from: an expression followed through names, attributes, parameters and imports to what made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from whygrad.lint.classes import ClassInfo, self_name
from whygrad.lint.flow import ELSEWHERE, chain
from whygrad.lint.scopes import Definition, Function, arguments

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_STEPS = 40  #: definitions followed for one question

#: How the value relates to ``node``: it is that expression, an item of it, one of those iterated over, what ``with`` got,
#: what ``op=`` left, or the definition itself (of a function, class or parameter).
Part = Literal["", "item", "element", "context", "augmented"]


@dataclass(frozen=True, eq=False)
class Value:
    """What a name may stand for. ``node`` is an expression, or a ``def``, ``class`` or parameter, in ``module``."""

    node: ast.AST
    module: Module
    part: Part = ""
    index: int | None = None


@dataclass(frozen=True)
class Origins:
    """All that an expression may stand for. ``complete``: there is no other way it may have got a value."""

    values: tuple[Value, ...]
    complete: bool

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    @property
    def only(self) -> Value | None:
        """The value if there is exactly one, and no doubt about it."""
        return self.values[0] if self.complete and len(self.values) == 1 else None


class Tracer:
    """One question: follows each definition once."""

    def __init__(self) -> None:
        self._values: dict[tuple[ast.AST, Part, int | None], Value] = {}
        self._seen: set[ast.AST] = set()
        self._complete = True

    def origins(self) -> Origins:
        """What was found."""
        return Origins(tuple(self._values.values()), self._complete)

    def follow(self, module: Module, node: ast.AST) -> None:
        """Add what an expression may stand for."""
        if node in self._seen:
            return
        self._seen.add(node)
        if len(self._seen) > _STEPS:
            self._complete = False
        elif isinstance(node, ast.IfExp):
            self.follow(module, node.body)
            self.follow(module, node.orelse)
        elif isinstance(node, ast.NamedExpr):
            self.follow(module, node.value)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            for value in node.values:
                self.follow(module, value)
        elif isinstance(node, ast.Name):
            self._definitions(module, node, module.definitions(node))
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node)
        else:
            self._add(Value(node, module))

    def _add(self, value: Value) -> None:
        self._values.setdefault((value.node, value.part, value.index), value)

    def _unknown(self, module: Module, node: ast.AST) -> None:
        self._add(Value(node, module))
        self._complete = False

    def _definitions(self, module: Module, node: ast.AST, definitions: tuple[Definition, ...] | None) -> None:
        if definitions is None:
            self._unknown(module, node)
            return
        for definition in definitions:
            if definition is ELSEWHERE:
                self._complete = False
            else:
                self._definition(module, node, definition)

    def _definition(self, module: Module, node: ast.AST, found: Definition) -> None:
        if found.how == "value" and found.value is not None:
            self.follow(module, found.value)
        elif found.how in ("function", "class"):
            self._add(Value(found.node, module))
        elif found.how == "import":
            imported = module.imported(found)
            if imported is None:
                self._unknown(module, node)
            else:
                self.follow_name(*imported)
        elif found.how == "parameter" and isinstance(found.node, ast.arg):
            self._parameter(module, found.node)
        elif found.how == "part" and found.value is not None:
            self._item(module, found.value, found.index)
        elif found.how == "augment":
            self._add(Value(found.node, module, "augmented"))
        elif found.how in ("element", "context") and found.value is not None:
            part: Part = "element" if found.how == "element" else "context"
            self._add(Value(found.value, module, part, found.index))
        else:
            self._unknown(module, node)

    def follow_name(self, module: Module, name: str) -> None:
        """Add what a module-level name of a file may stand for."""
        definitions = module.flow(module.tree.scopes[module.tree.root]).all.get(name)
        if not definitions:
            self._complete = False
            return
        for definition in definitions:
            if definition.node not in self._seen:
                self._seen.add(definition.node)
                self._definition(module, definition.node, definition)

    def _attribute(self, module: Module, node: ast.Attribute) -> None:
        definitions = module.flow(module.tree.scope(node)).uses.get(node) if chain(node) else None
        if definitions:
            self._definitions(module, node, tuple(definitions))
            return
        found = module.attribute(node)
        if found is None:
            self._add(Value(node, module))
            return
        owner, assignments = found
        for assignment in assignments:
            if assignment.how == "value" and assignment.value is not None:
                self.follow(owner, assignment.value)
            else:
                self._complete = False

    def _item(self, module: Module, value: ast.expr, index: int | None) -> None:
        """An item of what a call returns, where its returns are all tuples; else the item as such."""
        returned = module.returned(value) if isinstance(value, ast.Call) else None
        if returned is not None and index is not None:
            other, expressions = returned
            if expressions and all(isinstance(e, ast.Tuple) and index < len(e.elts) for e in expressions):
                for expression in expressions:
                    assert isinstance(expression, ast.Tuple)
                    self.follow(other, expression.elts[index])
                return
        self._add(Value(value, module, "item", index))

    def _parameter(self, module: Module, arg: ast.arg) -> None:
        """What the calls in this file give for it; the parameter itself where there are none."""
        function = module.tree.parents[module.tree.parents[arg]]
        assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        given = module.given(function, arg)
        if given is None:
            self._unknown(module, arg)
            return
        for expression in given:
            self.follow(module, expression)


def bind(function: Function, call: ast.Call, method: bool) -> dict[str, ast.expr] | None:
    """What a call gives for each parameter, defaults included; None with ``*`` or ``**``. ``method``: the first one is
    the object."""
    spec = function.args
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given: dict[str, ast.expr] = {}
    given.update(zip(reversed(positional), reversed(spec.defaults), strict=False))
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            given[arg.arg] = default
    given.update(zip(positional[1 if method else 0 :], call.args, strict=False))
    names = {a.arg for a in arguments(function)}
    given.update({k.arg: k.value for k in call.keywords if k.arg in names})
    return given


def is_this(module: Module, node: ast.AST) -> ClassInfo | None:
    """The class whose object ``node`` is, if it is ``self`` in one of its methods."""
    if not isinstance(node, ast.Name):
        return None
    function = module.tree.function(node)
    while function is not None:
        owner = module.tree.owner(function)
        if owner is not None and not isinstance(function, ast.Lambda):
            return module.classes[owner] if self_name(function) == node.id else None
        function = module.tree.function(module.tree.parents[function])
    return None
