"""What a rule gets: one file, and the answers to what can be asked about it."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from whygrad.lint import held as holding
from whygrad.lint import history, kinds, regions, sinks, training, upstream, without
from whygrad.lint.classes import Attribute, ClassInfo, assigned, read
from whygrad.lint.flow import Flow, chain
from whygrad.lint.held import Held
from whygrad.lint.kinds import Instance
from whygrad.lint.project import Project
from whygrad.lint.scopes import Definition, Function, Scope
from whygrad.lint.sinks import Loss
from whygrad.lint.torch_names import Category
from whygrad.lint.training import Loop
from whygrad.lint.tree import Node, Tree
from whygrad.lint.values import Origins, Tracer, Value, bind, is_this

_DEPTH = 20  #: how many questions may lead to one another
_FILES = 30  #: files of a project that are looked into for one


class Context:
    """What the files of one check share: the project, those already looked into, and the present question."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.modules: dict[Path, Module] = {}
        self.depth = 0
        self.anywhere = False  # whether the present question looks away from no_grad

    def forget(self) -> None:
        """Drop all answers. They refer to one another in circles, so that else only the garbage collector could free them."""
        for module in self.modules.values():
            vars(module).clear()
        self.modules.clear()


class Module:
    """A file under analysis. Answers are kept; what is not known is None, False or incomplete, never a guess."""

    def __init__(self, tree: Tree, context: Context) -> None:
        self.tree = tree
        self.source = tree.source
        self.context = context
        context.modules.setdefault(tree.path, self)
        self._flows: dict[ast.AST, Flow] = {}
        self._origins: dict[ast.AST, Origins] = {}
        self._histories: dict[tuple[ast.AST, bool], bool] = {}
        self._returns: dict[ast.AST, list[ast.expr]] = {}
        self._lost: dict[ast.AST, bool] = {}
        self._instances: dict[ast.AST, tuple[Instance | None, ...]] = {}

    # -- the tree

    def nodes(self, *types: type[Node]) -> Iterator[Node]:
        """All nodes of these types, by place in the source."""
        return self.tree.nodes(*types)

    def dotted(self, node: ast.AST | None) -> str:
        """The full name of an expression through imports (``torch.nn.functional.softmax`` for ``F.softmax``), or ''."""
        return self.tree.dotted(node)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """All calls, or those of these full names."""
        if not names:
            return self.tree.nodes(ast.Call)
        found = [call for name in dict.fromkeys(names) for call in self._calls_of.get(name, ())]
        return iter(
            sorted(found, key=lambda call: (call.lineno, call.col_offset)) if len(names) > 1 else found
        )

    @cached_property
    def _calls_of(self) -> dict[str, list[ast.Call]]:
        """The calls by the full name of what is called."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.tree.nodes(ast.Call):
            name = self.dotted(call.func)
            if name:
                found.setdefault(name, []).append(call)
        return found

    def method_calls(self, *names: str) -> Iterator[tuple[ast.Call, ast.expr]]:
        """The calls ``something.name(...)``, each with that something."""
        for call in self.tree.nodes(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in names:
                yield call, call.func.value

    @cached_property
    def classes(self) -> dict[ast.ClassDef, ClassInfo]:
        """The classes of the file."""
        return {node: read(node) for node in self.tree.nodes(ast.ClassDef)}

    def mentions(self, *words: str) -> bool:
        """Whether the text has one of these words (in small letters) anywhere: a cheap question before a dear one."""
        return any(word in self._lowered for word in words)

    @cached_property
    def _lowered(self) -> str:
        return self.source.text.lower()

    @cached_property
    def has_walrus(self) -> bool:
        """Whether ``:=`` occurs."""
        return any(True for _ in self.tree.nodes(ast.NamedExpr))

    # -- names and values

    def flow(self, scope: Scope) -> Flow:
        """The reaching definitions of a scope."""
        if scope.node not in self._flows:
            self._flows[scope.node] = Flow(scope, self.has_walrus)
        return self._flows[scope.node]

    def definitions(self, name: ast.Name) -> tuple[Definition, ...] | None:
        """The definitions that may have given a name its value where it is read; None if that can't be told."""
        scope = self.tree.scope(name)
        here = self.flow(scope).uses.get(name)
        if here:
            return tuple(sorted(here, key=lambda d: getattr(d.node, "lineno", 0)))
        bound = scope.binding(name.id)
        if bound is None or bound is scope or name.id in self._shared:
            return None
        return tuple(self.flow(bound).all.get(name.id, ())) or None

    @cached_property
    def _shared(self) -> set[str]:
        """Names that functions set in an outer scope: who set them last can't be told."""
        return {name for scope in self.tree.scopes.values() for name in scope.outer}

    def origins(self, node: ast.AST) -> Origins:
        """What made the value of an expression: followed through assignments, attributes, parameters, imports."""
        if node not in self._origins:
            tracer = Tracer()
            if self.context.depth >= _DEPTH:
                return Origins((Value(node, self),), False)
            self.context.depth += 1
            try:
                tracer.follow(self, node)
            finally:
                self.context.depth -= 1
            self._origins[node] = tracer.origins()
        return self._origins[node]

    def imported(self, definition: Definition) -> tuple[Module, str] | None:
        """The file of this project, and the name in it, that an import means."""
        node = definition.node
        if not isinstance(node, ast.ImportFrom):
            return None
        home = "." * node.level + (node.module or "")
        name = next((a.name for a in node.names if (a.asname or a.name) == definition.name), "")
        other = self.file(home)
        return (other, name) if other is not None and name else None

    def file(self, name: str) -> Module | None:
        """Another file of the project, by the name it is imported under."""
        path = self.context.project.find(name, self.tree.path)
        if path is None:
            return None
        if path not in self.context.modules:
            tree = self.context.project.tree(path) if len(self.context.modules) < _FILES else None
            if tree is None:
                return None
            Module(tree, self.context)
        return self.context.modules[path]

    # -- objects

    def class_of(self, node: ast.AST) -> ClassInfo | None:
        """The class whose object an expression is: of ``self``, or of an instance of a class of this project."""
        this = is_this(self, node)
        if this is not None:
            return this
        instance = self.instance(node)
        return instance.info if instance is not None else None

    def attribute(self, node: ast.Attribute) -> tuple[Module, list[Attribute]] | None:
        """All assignments to an attribute in the class of its object; None if that class or attribute is not known."""
        return kinds.attribute(self, node)

    def instance(self, node: ast.AST) -> Instance | None:
        """What an expression is an instance of; None if that is not known, or not always the same class. If it may be one
        of several objects of a class, then ``call`` is None."""
        found = self.instances(node)
        if not found or found[0] is None or any(one is None or one.name != found[0].name for one in found):
            return None
        same = all(one is not None and one.call is found[0].call for one in found)
        return found[0] if same else dataclasses.replace(found[0], call=None, module=None)

    def instances(self, node: ast.AST) -> tuple[Instance | None, ...]:
        """What an expression may be an instance of; with None among them if something is not known."""
        if node not in self._instances:
            self._instances[node] = (None,)
            self._instances[node] = kinds.instances(self, node)
        return self._instances[node]

    def category(self, node: ast.AST) -> Category | None:
        """``module``, ``loss``, ``optimizer``, ``scheduler``, ``scaler``, ``parameter``, ``loader``, or None in doubt."""
        found = {instance.category if instance else None for instance in self.instances(node)}
        return found.pop() if len(found) == 1 else None

    def is_module_class(self, info: ClassInfo) -> bool | None:
        """Whether a class derives from ``torch.nn.Module``; None if a base is not known."""
        return kinds.is_module_class(self, info)

    def module_classes(self) -> Iterator[ClassInfo]:
        """The classes of this file that surely derive from ``torch.nn.Module``."""
        return (info for info in self.classes.values() if self.is_module_class(info))

    # -- functions

    def callee(self, call: ast.Call) -> tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef] | None:
        """The function or method of this project that a call runs; the ``forward`` of a module; None if not known."""
        return kinds.callee(self, call)

    def returned(self, call: ast.Call) -> tuple[Module, list[ast.expr]] | None:
        """What the function that is called may return, and the file it stands in; None if not known, or a generator."""
        found = self.callee(call)
        if found is None:
            return None
        module, function = found
        values = module.returns(function)
        return (module, values) if values else None

    def returns(self, function: ast.AST) -> list[ast.expr]:
        """What a function of this file may return; nothing if it may also return without a value, or is a generator."""
        if function not in self._returns:
            nodes = list(self.body_nodes(function))
            found = [n.value for n in nodes if isinstance(n, ast.Return)]
            generator = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes)
            self._returns[function] = (
                [] if generator or None in found else [v for v in found if v is not None]
            )
        return self._returns[function]

    def body_nodes(self, function: ast.AST) -> Iterator[ast.AST]:
        """All nodes in the body of a function, without those of functions and classes in it."""
        body = getattr(function, "body", [])
        stack = list(reversed(body)) if isinstance(body, list) else [body]
        while stack:
            node = stack.pop()
            yield node
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                stack += reversed(self.tree.children[node])

    def call_sites(self, function: Function) -> list[ast.Call] | None:
        """All calls of a function in this file; None if it is used in another way than by calls, or by none."""
        name = getattr(function, "name", "")
        if not name or name in self._ambiguous or name not in self._called:
            return None
        return self._called[name]

    @cached_property
    def _called(self) -> dict[str, list[ast.Call]]:
        called: dict[str, list[ast.Call]] = {}
        for call in self.tree.nodes(ast.Call):
            name = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
            if name:
                called.setdefault(name, []).append(call)
        return called

    @cached_property
    def _ambiguous(self) -> set[str]:
        """Names of functions that are defined twice, or mentioned without being called."""
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [
            *self.tree.nodes(ast.FunctionDef),
            *self.tree.nodes(ast.AsyncFunctionDef),
        ]
        names = [function.name for function in functions]
        twice = {name for name in names if names.count(name) > 1}
        called = {call.func for call in self.tree.nodes(ast.Call)}
        uses: list[ast.Name | ast.Attribute] = [*self.tree.nodes(ast.Name), *self.tree.nodes(ast.Attribute)]
        mentioned = {
            use.id if isinstance(use, ast.Name) else use.attr
            for use in uses
            if use not in called and isinstance(use.ctx, ast.Load)
        }
        return twice | (mentioned & set(names))

    def given(self, function: Function, arg: ast.arg) -> list[ast.expr] | None:
        """What the calls of a function in this file give for a parameter; None if they are not all known."""
        owner = self.tree.owner(function)
        made = owner is not None and getattr(function, "name", "") == "__init__"
        sites = self._constructions(owner) if owner is not None and made else self.call_sites(function)
        spec = function.args
        if sites is None or arg in (spec.vararg, spec.kwarg) or getattr(function, "decorator_list", []):
            return None
        method = owner is not None
        found = []
        for call in sites:
            if not made and method != isinstance(call.func, ast.Attribute):
                return None
            bound = bind(function, call, method)
            if bound is None or arg.arg not in bound:
                return None
            found.append(bound[arg.arg])
        return found

    def _constructions(self, cls: ast.ClassDef) -> list[ast.Call] | None:
        """All calls that make an object of a class of this file; None if it is mentioned in another way, or by none."""
        uses = [n for n in self.tree.nodes(ast.Name) if n.id == cls.name]
        calls = [c for c in self._called.get(cls.name, ()) if isinstance(c.func, ast.Name)]
        twice = sum(1 for other in self.classes if other.name == cls.name) > 1
        return calls if calls and not twice and len(uses) == len(calls) else None

    def put_into(self, made: ast.AST) -> list[ast.expr]:
        """What is appended to the list that ``made`` (``[]`` or ``list()``) makes, in the scope where it gets its name."""
        statement = self.tree.statement(made)
        names = [chain(target) for target, value in assigned(statement) if value is made]
        scope = self.tree.scope(made)
        return [
            call.args[0]
            for name in names
            for call in self._appending.get(name, ())
            if len(call.args) == 1 and self.tree.scope(call) is scope
        ]

    @cached_property
    def _appending(self) -> dict[str, list[ast.Call]]:
        """The calls of ``append`` and ``extend``, by the name of the list."""
        found: dict[str, list[ast.Call]] = {}
        for call, receiver in self.method_calls("append", "extend"):
            if chain(receiver):
                found.setdefault(chain(receiver), []).append(call)
        return found

    # -- gradients and training

    def has_history(self, node: ast.AST) -> bool:
        """Whether a value comes out of parameters or modules through operations that autograd follows, on one of the ways
        it may have been made."""
        key = (node, self.context.anywhere)
        if key not in self._histories:
            if self.context.depth >= _DEPTH:
                return False
            self._histories[key] = (
                False  # what depends on itself has a history only if another part of it has
            )
            self.context.depth += 1
            try:
                self._histories[key] = history.has_history(self, node)
            finally:
                self.context.depth -= 1
        return self._histories[key]

    def without_history(self, node: ast.AST) -> bool:
        """Whether a value surely carries no history, on none of the ways it may have been made."""
        if node not in self._lost:
            if self.context.depth >= _DEPTH:
                return False
            self._lost[node] = True  # what depends on itself has none if none of its other parts has
            self.context.depth += 1
            try:
                self._lost[node] = without.without_history(self, node)
            finally:
                self.context.depth -= 1
        return self._lost[node]

    def asked_for_gradient(self, made: ast.AST) -> bool:
        """Whether the file sets ``requires_grad`` on the name or attribute that the value ``made`` is given to."""
        names = (chain(target).rpartition(".")[2] for target, _ in assigned(self.tree.statement(made)))
        return any(name in self._asked for name in names)

    @cached_property
    def _asked(self) -> set[str]:
        attributes = (
            n for n in self.tree.nodes(ast.Attribute) if n.attr in ("requires_grad", "requires_grad_")
        )
        return {chain(attribute.value).rpartition(".")[2] for attribute in attributes} - {""}

    def would_have_history(self, node: ast.AST) -> bool:
        """The same, if gradients were never switched off."""
        before, self.context.anywhere = self.context.anywhere, True
        try:
            return self.has_history(node)
        finally:
            self.context.anywhere = before

    def grad_disabled(self, node: ast.AST) -> ast.expr | None:
        """The ``no_grad()`` or the like that ``node`` stands under, by ``with`` or as a decorator; None if there is none."""
        return regions.grad_disabled(self.tree, node)

    def loops(self) -> list[Loop]:
        """The training loops of the file: those in which ``backward`` is called."""
        return self._loops

    @cached_property
    def _loops(self) -> list[Loop]:
        return training.loops(self)

    def upstream(
        self, node: ast.AST, differentiable: bool = False, without: ast.AST | None = None
    ) -> Iterator[Value]:
        """All expressions that a value is computed from, the value itself first. ``differentiable``: only through what
        hands a gradient back; ``without``: not through this expression."""
        return upstream.upstream(self, node, differentiable, without)

    def losses(self) -> Iterator[Loss]:
        """Every ``backward`` of the file, with its loss."""
        return sinks.losses(self)

    @cached_property
    def held(self) -> list[Held]:
        """What the optimizers of the file hold, where it is written as ``module.parameters()``."""
        return holding.held(self)

    @cached_property
    def held_classes(self) -> set[ast.ClassDef]:
        """The classes of the project whose parameters those optimizers hold."""
        return holding.held_classes(self, self.held)

    @cached_property
    def counted(self) -> set[ast.AST]:
        """The expressions that a loss that goes backward, or what a function returns, is computed from; all others are
        computed for printing or testing only."""
        ends = [node.value for node in self.tree.nodes(ast.Return) if node.value is not None]
        return self.in_losses | {value.node for end in ends for value in self.upstream(end)}

    @cached_property
    def in_losses(self) -> set[ast.AST]:
        """The expressions that a loss that goes backward is computed from."""
        return {value.node for loss in self.losses() for value in self.upstream(loss.node)}

    def outputs(self) -> Iterator[ast.expr]:
        """What the ``forward`` methods of the modules in the file return."""
        return sinks.outputs(self)
