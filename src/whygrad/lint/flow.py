"""Reaching definitions: which assignments may have given a name the value that it has where it is used.

Computed for one scope at a time, in one pass over its statements; branches are joined, a loop's body is passed twice (a
definition is generated or killed whatever came before, so that the first pass finds all that come round again)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from whygrad.lint.nodes import children
from whygrad.lint.scopes import Definition, How, Scope, arguments

Definitions = frozenset[Definition]
Environment = dict[str, Definitions]
_Body = Callable[[Environment], Environment | None]
_NONE: Definitions = frozenset()
#: Stands for a value from before or outside the scope.
ELSEWHERE = Definition("", "other", ast.Pass())


def chain(node: ast.AST) -> str:
    """``self.net.head`` as text if it is names and attributes only, else empty."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


class Flow:
    """``uses``: for each name (or ``a.b``) read in the scope, the definitions that may reach it; a name that is missing
    there is not defined in this scope. ``all``: every definition of a name in the scope, wherever it stands."""

    def __init__(self, scope: Scope, walrus: bool = True) -> None:
        self.uses: dict[ast.AST, Definitions] = {}
        self.all: dict[str, list[Definition]] = {}
        self._walrus = walrus
        self._recording = True
        self._known: dict[tuple[ast.AST, str], Definition] = {}
        self._breaks: list[list[Environment]] = []
        self._continues: list[list[Environment]] = []
        self._attempts: list[
            list[Definition]
        ] = []  # what the bodies of the ``try`` statements around have defined
        environment: Environment = {}
        node = scope.node
        if not isinstance(node, ast.Module | ast.ClassDef):
            for arg in arguments(node):
                self._define(environment, arg.arg, "parameter", arg)
        if isinstance(node, ast.Lambda):
            self._read(node.body, environment)
        else:
            self._block(node.body, environment)

    # -- statements: each takes an environment and gives the one after it, None where nothing comes after

    def _block(self, body: Iterable[ast.stmt], environment: Environment | None) -> Environment | None:
        for statement in body:
            if environment is None:
                return None
            environment = self._statement(statement, environment)
        return environment

    def _statement(self, node: ast.stmt, env: Environment) -> Environment | None:
        handler = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        if handler is not None:
            result: Environment | None = handler(node, env)
            return result
        for child in children(node):
            self._read(child, env)
        return env

    def _do_assign(self, node: ast.Assign, env: Environment) -> Environment:
        self._read(node.value, env)
        for target in node.targets:
            self._bind(target, env, "value", node, node.value)
        return env

    def _do_annassign(self, node: ast.AnnAssign, env: Environment) -> Environment:
        if node.value is not None:
            self._read(node.value, env)
            self._bind(node.target, env, "value", node, node.value)
        return env

    def _do_augassign(self, node: ast.AugAssign, env: Environment) -> Environment:
        self._read(node.value, env)
        name = chain(node.target)
        if name and self._recording and name in env:
            self.uses[node.target] = env[name]
        self._bind(node.target, env, "augment", node, node.value)
        return env

    def _do_for(self, node: ast.For | ast.AsyncFor, env: Environment) -> Environment | None:
        self._read(node.iter, env)

        def once(env: Environment) -> Environment | None:
            self._bind(node.target, env, "element", node, node.iter)
            return self._block(node.body, env)

        return self._loop(once, env, node.orelse)

    _do_asyncfor = _do_for

    def _do_while(self, node: ast.While, env: Environment) -> Environment | None:
        def once(env: Environment) -> Environment | None:
            self._read(node.test, env)
            return self._block(node.body, env)

        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return self._loop(once, env, node.orelse, endless)

    def _do_if(self, node: ast.If, env: Environment) -> Environment | None:
        self._read(node.test, env)
        return _joined([self._block(node.body, dict(env)), self._block(node.orelse, dict(env))])

    def _do_with(self, node: ast.With | ast.AsyncWith, env: Environment) -> Environment | None:
        for item in node.items:
            self._read(item.context_expr, env)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, env, "context", item, item.context_expr)
        return self._block(node.body, env)

    _do_asyncwith = _do_with

    def _do_try(self, node: ast.Try, env: Environment) -> Environment | None:
        before = dict(env)
        self._attempts.append([])
        body = self._block(node.body, env)
        made = self._attempts.pop()
        # an exception may come after any of the statements
        raised = dict(before)
        for definition in made:
            raised[definition.name] = raised.get(definition.name, _NONE) | {definition}
        ends = [self._block(node.orelse, body) if body is not None else None]
        for handler in node.handlers:
            inner = dict(raised)
            if handler.name:
                self._define(inner, handler.name, "other", handler)
            ends.append(self._block(handler.body, inner))
        after = _joined(ends)
        if node.finalbody:
            final = self._block(node.finalbody, dict(after if after is not None else raised))
            return final if after is not None else None
        return after

    _do_trystar = _do_try

    def _do_match(self, node: ast.Match, env: Environment) -> Environment | None:
        self._read(node.subject, env)
        ends: list[Environment | None] = [dict(env)]
        for case in node.cases:
            inner = dict(env)
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    self._define(inner, name, "other", case.pattern)
            if case.guard is not None:
                self._read(case.guard, inner)
            ends.append(self._block(case.body, inner))
        return _joined(ends)

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment) -> Environment:
        for expression in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self._read(expression, env)
        self._define(env, node.name, "function", node)
        return env

    _do_asyncfunctiondef = _do_functiondef

    def _do_classdef(self, node: ast.ClassDef, env: Environment) -> Environment:
        for expression in (*node.decorator_list, *node.bases):
            self._read(expression, env)
        self._define(env, node.name, "class", node)
        return env

    def _do_import(self, node: ast.Import | ast.ImportFrom, env: Environment) -> Environment:
        for alias in node.names:
            self._define(env, alias.asname or alias.name.split(".")[0], "import", node)
        return env

    _do_importfrom = _do_import

    def _do_return(self, node: ast.Return | ast.Raise, env: Environment) -> None:
        for child in children(node):
            self._read(child, env)

    _do_raise = _do_return

    def _do_break(self, node: ast.Break, env: Environment) -> None:
        if self._breaks:
            self._breaks[-1].append(dict(env))

    def _do_continue(self, node: ast.Continue, env: Environment) -> None:
        if self._continues:
            self._continues[-1].append(dict(env))

    # -- loops

    def _loop(
        self, once: _Body, env: Environment, orelse: list[ast.stmt], endless: bool = False
    ) -> Environment | None:
        """The environment after a loop, of which ``once`` is one round; ``endless``: only a break leaves it."""
        recording, self._recording = self._recording, False
        ends, breaks = self._around(once, dict(env))
        self._recording = recording
        head = _joined([env, *ends]) or env
        if recording:
            ends, breaks = self._around(once, dict(head))
            head = _joined([head, *ends]) or head
        else:
            breaks = [_joined([head, one]) or head for one in breaks]
        after = None if endless else self._block(orelse, dict(head))
        return _joined([after, *breaks])

    def _around(self, once: _Body, env: Environment) -> tuple[list[Environment], list[Environment]]:
        """One round: the environments with which the next may begin, and those with which the loop was left."""
        self._breaks.append([])
        self._continues.append([])
        end = once(env)
        return [e for e in (end, *self._continues.pop()) if e is not None], self._breaks.pop()

    # -- names

    def _read(self, node: ast.AST, env: Environment) -> None:
        if not self._recording and not self._walrus:
            return
        stack: list[ast.AST] = [node]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name | ast.Attribute):
                name = chain(node)
                if self._recording and name in env:
                    self.uses[node] = self.uses.get(node, _NONE) | env[name]
                stack += [node.value] if isinstance(node, ast.Attribute) else []
            elif isinstance(node, ast.NamedExpr):
                self._read(node.value, env)
                self._bind(node.target, env, "value", node, node.value)
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
                self._comprehension(node, dict(env))
            elif isinstance(node, ast.Lambda):
                stack += node.args.defaults
            else:
                stack += children(node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, env: Environment
    ) -> None:
        for generator in node.generators:
            self._read(generator.iter, env)
            self._bind(generator.target, env, "element", generator, generator.iter)
            for test in generator.ifs:
                self._read(test, env)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._read(part, env)

    def _bind(
        self,
        target: ast.expr,
        env: Environment,
        how: How,
        node: ast.AST,
        value: ast.expr | None,
        index: int | None = None,
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, env, how, node, value)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, env, "other", node, None)
        elif isinstance(target, ast.Name | ast.Attribute):
            if isinstance(target, ast.Attribute):
                self._read(target.value, env)
            name = chain(target)
            if name:
                self._define(env, name, how, node, value, index)
        elif isinstance(target, ast.Subscript):
            self._read(target.value, env)
            self._read(target.slice, env)

    def _unpack(
        self,
        target: ast.Tuple | ast.List,
        env: Environment,
        how: How,
        node: ast.AST,
        value: ast.expr | None,
        flat: bool = True,
    ) -> None:
        """``flat``: the target is no part of another one, so that an index in it says which item it gets."""
        starred = any(isinstance(item, ast.Starred) for item in target.elts)
        same = (
            isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts) and how == "value"
        )
        part: How = "part" if how == "value" else how
        for index, item in enumerate(target.elts):
            if same and not starred:
                assert isinstance(value, ast.Tuple | ast.List)
                self._bind(item, env, "value", node, value.elts[index])
            elif isinstance(item, ast.Tuple | ast.List):
                self._unpack(item, env, part, node, value, flat=False)
            else:
                self._bind(item, env, part, node, value, index if flat and not starred else None)

    def _define(
        self,
        env: Environment,
        name: str,
        how: How,
        node: ast.AST,
        value: ast.expr | None = None,
        index: int | None = None,
    ) -> None:
        definition = self._known.get((node, name))
        if definition is None:
            definition = Definition(name, how, node, value, index)
            self._known[node, name] = definition
            self.all.setdefault(name, []).append(definition)
        for attempt in self._attempts:
            attempt.append(definition)
        start = f"{name}."
        for other in [key for key in env if key.startswith(start)]:
            del env[other]
        env[name] = frozenset([definition])


def _joined(environments: Iterable[Environment | None]) -> Environment | None:
    """The definitions that may reach the place where these come together. ``a.b`` that only one of them has set may be
    on the other way what it was before, which is not known here."""
    alive = [env for env in environments if env is not None]
    if len(alive) < 2:
        return alive[0] if alive else None
    result: Environment = {}
    for name in {name for env in alive for name in env}:
        found = [env[name] for env in alive if name in env]
        if len(found) < len(alive) and "." in name:
            found.append(frozenset([ELSEWHERE]))
        result[name] = found[0].union(*found[1:])
    return result
