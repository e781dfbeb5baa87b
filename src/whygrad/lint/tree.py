"""One parsed file: its syntax tree, with parents, scopes and imports, gathered in one walk."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from whygrad.lint.nodes import children
from whygrad.lint.scopes import Function, Scope, arguments
from whygrad.lint.source import Source
from whygrad.lint.torch_names import canonical

Node = TypeVar("Node", bound=ast.AST)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LEAVES = frozenset({ast.Name, ast.Constant})
_BINDING = frozenset(
    {ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.ExceptHandler, ast.MatchAs, ast.MatchStar}
)


class Tree:
    """A file's syntax tree. Nothing here looks beyond the file."""

    def __init__(self, path: Path, source: Source, root: ast.Module) -> None:
        self.path = path
        self.source = source
        self.root = root
        self.parents: dict[ast.AST, ast.AST] = {}
        self.children: dict[ast.AST, list[ast.AST]] = {}
        self.scopes: dict[ast.AST, Scope] = {root: Scope(root)}
        self.imports: dict[str, str] = {}
        self.stars: list[str] = []
        self._nodes: dict[type[ast.AST], list[ast.AST]] = {}
        self._doubtful: set[str] = set()  # imported as two different things
        self._rebound: set[str] = set()  # bound by something else than an import somewhere
        self._imported: set[tuple[Scope, str]] = set()
        self._walk()

    def nodes(self, *kinds: type[Node]) -> Iterator[Node]:
        """Every node of these types, by place in the source."""
        found = [node for kind in kinds for node in self._nodes.get(kind, ())]
        if len(kinds) > 1:
            found.sort(key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]
        return iter(found)  # type: ignore[arg-type]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around this one."""
        return self.parents.get(node)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, the innermost first."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that ``node`` is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which ``node`` is evaluated: decorators, defaults and annotations belong to the outer one."""
        below = node
        for above in self.above(node):
            if above in self.scopes and self._is_body(above, below):
                return self.scopes[above]
            below = above
        return self.scopes[self.root]

    def _is_body(self, scope: ast.AST, child: ast.AST) -> bool:
        if isinstance(scope, ast.Lambda):
            return child is scope.body
        return isinstance(child, ast.stmt) or isinstance(scope, ast.Module)

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function whose body ``node`` stands in."""
        scope: Scope | None = self.scope(node)
        while scope is not None and not scope.is_function:
            scope = scope.parent
        return (
            scope.node
            if scope is not None and not isinstance(scope.node, ast.Module | ast.ClassDef)
            else None
        )

    def owner(self, function: ast.AST) -> ast.ClassDef | None:
        """The class that a method is defined in."""
        above = self.parents.get(function)
        while isinstance(above, ast.If | ast.Try | ast.With):
            above = self.parents.get(above)
        return above if isinstance(above, ast.ClassDef) else None

    def qualified(self, node: ast.AST) -> str:
        """The name of the function around a node, with its classes: ``Net.forward``."""
        chain = [node, *self.above(node)]
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return ".".join(reversed([above.name for above in chain if isinstance(above, named)]))

    def dotted(self, node: ast.AST | None) -> str:
        """The full name that an expression refers to through imports: ``torch.nn.functional.softmax`` for ``F.softmax``.
        Empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        base = self.imports.get(node.id)
        if base is None or node.id in self._doubtful:
            return ""
        if node.id in self._rebound:
            bound = self.scope(node).binding(node.id)
            if bound is not None and (bound, node.id) not in self._imported:
                return ""
        return canonical(".".join([base, *reversed(parts)]))

    def _walk(self) -> None:
        stack: list[tuple[ast.AST, Scope]] = [(self.root, self.scopes[self.root])]
        nodes, parents, kept, nothing = self._nodes, self.parents, self.children, list[ast.AST]()
        while stack:
            node, scope = stack.pop()
            kind = node.__class__
            if kind in nodes:
                nodes[kind].append(node)
            else:
                nodes[kind] = [node]
            if kind in _LEAVES:  # more than half of all nodes
                if kind is ast.Name and node.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                    self._add(scope, node.id)  # type: ignore[attr-defined]
                kept[node] = nothing
                continue
            inner = scope
            if isinstance(node, _SCOPES):
                inner = self._scope(node, scope)
            elif kind in _BINDING:
                self._bind(node, scope)
            kept[node] = below = children(node)
            for child in reversed(below):
                parents[child] = node
                inside = inner is not scope and self._is_body(node, child)
                stack.append((child, inner if inside else scope))

    def _scope(self, node: Function | ast.ClassDef, outer: Scope) -> Scope:
        inner = self.scopes[node] = Scope(node, outer)
        if not isinstance(node, ast.Lambda):
            self._add(outer, node.name)
        if not isinstance(node, ast.ClassDef):
            for arg in arguments(node):
                self._add(inner, arg.arg)
        return inner

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            scope.outer.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self._add(scope, node.name)

    def _add(self, scope: Scope, name: str) -> None:
        scope.bound.add(name)
        self._rebound.add(name)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        module = "." * getattr(node, "level", 0) + (getattr(node, "module", None) or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
                continue
            name = alias.asname or alias.name.split(".")[0]
            if isinstance(node, ast.Import):
                full = alias.name if alias.asname else name
            else:
                full = f"{module}.{alias.name}" if module.strip(".") else f"{module}{alias.name}"
            scope.bound.add(name)
            self._imported.add((scope, name))
            if self.imports.setdefault(name, full) != full:
                self._doubtful.add(name)
