"""Second names of one module, where two modules were meant, and modules that fill several places of a container."""

from __future__ import annotations

import ast
import re
import sys
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from whygrad import trace as t
from whygrad.observe.containers import attributes
from whygrad.observe.loops import Loops
from whygrad.observe.snapshots import statement_at
from whygrad.observe.variables import scopes

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CONTAINERS = ("ModuleList", "Sequential", "ModuleDict")
_READERS = {"parameters", "named_parameters", "state_dict"}
_SHARED = re.compile(r"shar(e|ing)|\btied|tie_|tying|albert|universal|recurrent|recursive", re.IGNORECASE)
_MANY = 300
_WRITES = re.compile(r"(copy|lerp|mul|add|sub)_\(|\.data\s*[-+*]?=")
Place = tuple[str, int]
Lines = tuple[str, int, int]


class Names:
    """Reads the variables and the source once, at the end of the window."""

    def __init__(self, seen: Observation, copied: dict[int, weakref.ref[torch.nn.Module]]) -> None:
        self.seen, self.recorder, self.copied = seen, seen.recorder, copied
        self.stacks = seen.recorder.stacks
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        self._stepped = stepped
        self._loops = Loops(self.stacks)
        self._held = {p for k in seen.optimizers.known for g in k.groups for p in g.params}
        self._modules: dict[str, dict[int, torch.nn.Module]] = {}
        self._files = [f for f in self.stacks.user_files() if self.stacks.trees[f] is not None]

    # -- second names --------------------------------------------------------------------------------

    def aliases(self) -> tuple[t.Alias, ...]:
        """All that something speaks for."""
        assigned = list(self._assignments())
        found = [self._by_copy(stack, ref(), assigned) for stack, ref in self.copied.items()]
        if assigned:
            self._read_variables()
        for file, node, name, other in assigned:
            module = self._same(name, other)
            params = self.params(module) if module is not None else ()
            if params:
                found.append(self._judge(file, node, name, other, params))
        unique: dict[int, t.Alias] = {}
        for one in found:
            if one is not None:
                unique.setdefault(one.stack, one)
        return tuple(unique.values())

    def _assignments(self) -> Iterator[tuple[str, ast.Assign, str, str]]:
        """Assignments of one plain name or attribute to another."""
        for file in self._files:
            for node in ast.walk(self.stacks.trees[file]):  # type: ignore[arg-type]
                if isinstance(node, ast.Assign) and _plain(node.value):
                    for target in node.targets:
                        if _plain(target) and _other(target, node.value):
                            yield file, node, ast.unparse(target), ast.unparse(node.value)
                elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                    yield from self._pairs(file, node)

    @staticmethod
    def _pairs(file: str, node: ast.Assign) -> Iterator[tuple[str, ast.Assign, str, str]]:
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for one, value in zip(target.elts, node.value.elts, strict=False):
                    if _plain(one) and _plain(value) and _other(one, value):
                        yield file, node, ast.unparse(one), ast.unparse(value)

    def _by_copy(
        self, stack: int, module: torch.nn.Module | None, assigned: list[tuple[str, ast.Assign, str, str]]
    ) -> t.Alias | None:
        """``a.load_state_dict(b.state_dict())`` of one module, if the names are different ones."""
        code, line = self.stacks.place_of(self.stacks.stacks[stack][0]) if stack >= 0 else (None, 0)
        names = self._copying(code.co_filename, line) if code is not None else None
        if module is None or names is None:
            return None
        params = self.params(module)
        into, source = _last(names[0]), _last(names[1])
        if not params or names[0] == names[1]:
            return None
        made = next(
            ((f, n) for f, n, a, b in assigned if {_last(a), _last(b)} == {into, source}),
            next(((f, n) for f, n, a, b in assigned if _last(a) in (into, source)), None),
        )
        place = stack if made is None else self._stack(made[0], made[1].lineno)
        return t.Alias(place, names[0], names[1], "copied", stack, True, params)

    def _copying(self, file: str, line: int) -> tuple[str, str] | None:
        tree = self.stacks.trees[file]
        for node in ast.walk(tree) if tree is not None else ():
            if (
                isinstance(node, ast.Call)
                and node.lineno <= line <= (node.end_lineno or line)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "load_state_dict"
                and node.args
                and isinstance(node.args[0], ast.Call)
                and isinstance(node.args[0].func, ast.Attribute)
                and node.args[0].func.attr == "state_dict"
            ):
                return ast.unparse(node.func.value), ast.unparse(node.args[0].func.value)
        return None

    def _judge(
        self, file: str, node: ast.Assign, name: str, other: str, params: tuple[int, ...]
    ) -> t.Alias | None:
        """What shows that the new name was meant to be another module."""
        stack = self._stack(file, node.lineno)
        averaged = self._averaged(_last(name), _last(other))
        if averaged is not None:
            ran = any(
                e.kind == "write" and self._within(e.stack, averaged) for e in self.recorder.finished_events()
            )
            use = self._stack(averaged[0], averaged[1])
            return t.Alias(stack, name, other, "averaged", use, ran, params)
        if self._best(file, node, name):
            return t.Alias(stack, name, other, "best", stack, False, params)
        use = self._called_without_grad(_last(name), _last(other))
        return None if use < 0 else t.Alias(stack, name, other, "target", use, True, params)

    def _averaged(self, name: str, other: str) -> Lines | None:
        """A loop over the parameters of both names that writes, or a dictionary made of both states."""
        for file in self._files:
            for node in ast.walk(self.stacks.trees[file]):  # type: ignore[arg-type]
                if isinstance(node, ast.For):
                    both = {name, other} <= _read_whole(node.iter) and bool(_WRITES.search(ast.unparse(node)))
                else:
                    both = isinstance(node, ast.DictComp) and {name, other} <= _read_whole(node)
                if both and isinstance(node, (ast.For, ast.DictComp)):
                    return file, node.lineno, node.end_lineno or node.lineno
        return None

    def _within(self, stack: int, lines: Lines) -> bool:
        for frame in self.stacks.stacks[stack] if stack >= 0 else ():
            code, line = self.stacks.place_of(frame)
            if code.co_filename == lines[0] and lines[1] <= line <= lines[2]:
                return True
        return False

    def _best(self, file: str, node: ast.Assign, name: str) -> bool:
        """``if score > best: best = score; best_model = model`` in a loop, with a later use of the new name."""
        tree = self.stacks.trees[file]
        for guard in ast.walk(tree) if tree is not None else ():
            if (
                not isinstance(guard, ast.If)
                or node not in guard.body
                or not isinstance(guard.test, ast.Compare)
            ):
                continue
            compared = {ast.unparse(x) for x in (guard.test.left, *guard.test.comparators)}
            kept = {ast.unparse(x) for s in guard.body if isinstance(s, ast.Assign) for x in s.targets}
            used = any(
                ast.unparse(n) == name and n.lineno > (node.end_lineno or node.lineno)
                for n in ast.walk(tree)  # type: ignore[arg-type]
                if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
            )
            return bool(compared & kept) and used
        return False

    def _called_without_grad(self, name: str, other: str) -> int:
        """A stack at which the new name is called without autograd, if the old one is called with it."""
        off, on = self._calls(name), self._calls(other)
        found, both = -1, False
        for kind in self.recorder.kinds:
            places = self._places(kind.stack)
            if kind.grad_off != -1 and places & off and not places & on:
                found = kind.stack if self._loops.shared(kind.stack, self._stepped) else found
            elif kind.grad_off == -1 and places & on and not places & off:
                both = True
        return found if both else -1

    def _places(self, stack: int) -> set[Place]:
        frames = self.stacks.stacks[stack] if stack >= 0 else ()
        return {(c.co_filename, line) for c, line in map(self.stacks.place_of, frames)}

    def _calls(self, name: str) -> set[Place]:
        return {
            (file, line)
            for file in self._files
            for node in ast.walk(self.stacks.trees[file])  # type: ignore[arg-type]
            if isinstance(node, ast.Call) and _plain(node.func) and _last(ast.unparse(node.func)) == name
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }

    def _same(self, name: str, other: str) -> torch.nn.Module | None:
        """A module that variables or attributes of both names hold."""
        one, two = self._modules.get(_last(name), {}), self._modules.get(_last(other), {})
        return next((m for i, m in one.items() if i in two), None)

    def _read_variables(self) -> None:
        seen: set[int] = set()
        for scope in scopes(sys._getframe(1), methods=True):
            for name, value in list(scope.items()):
                self._note(name, value)
                if id(value) not in seen and len(seen) < _MANY:
                    seen.add(id(value))
                    for attribute, held in list(attributes(value).items()):
                        self._note(attribute, held)
                    if issubclass(type(value), torch.nn.Module):
                        for attribute, held in value._modules.items():
                            self._note(attribute, held)

    def _note(self, name: str, value: Any) -> None:
        if issubclass(type(value), torch.nn.Module):
            self._modules.setdefault(name, {})[id(value)] = value

    def params(self, module: torch.nn.Module) -> tuple[int, ...]:
        """The parameters of a module that an optimizer holds."""
        found = [
            entry.index
            for m in module.modules()
            for p in m._parameters.values()
            if p is not None and (entry := self.recorder.params.find(p)) is not None
        ]
        return tuple(i for i in found if i in self._held)

    def _stack(self, file: str, line: int) -> int:
        return self.stacks.intern((self.stacks.place(file, line, ""),))

    # -- repeated modules ----------------------------------------------------------------------------

    def repeated(self) -> tuple[t.Repeated, ...]:
        """Modules with parameters that one expression put into several places of one container."""
        found: dict[int, t.Repeated] = {}
        for placed in self.seen.modules.placed:
            module = placed.ref()
            if module is None or len(placed.parents) < 2:
                continue
            by_parent: dict[int, list[int]] = {}
            for parent, _, stack in placed.parents:
                if parent.kind in _CONTAINERS and parent.ref() is not None:
                    by_parent.setdefault(id(parent), []).append(stack)
            for stacks in by_parent.values():
                params = self.params(module) if len(stacks) > 1 else ()
                told = self._repetition(stacks[0]) if params else None
                if told is not None and told[0] not in found:
                    made = self.seen.modules.where_made(module)
                    found[told[0]] = t.Repeated(
                        told[0], made, placed.kind, len(stacks), told[1], told[2], params
                    )
        return tuple(found.values())

    def _repetition(self, stack: int) -> tuple[int, str, bool] | None:
        """Where and how the source repeats one module, and whether it speaks of sharing."""
        for frame in self.stacks.stacks[stack] if stack >= 0 else ():
            code, line = self.stacks.place_of(frame)
            tree = self.stacks.trees[code.co_filename]
            if tree is None:
                continue
            scope, owner = _around(tree, line)
            for node in sorted((n for n in ast.walk(scope) if hasattr(n, "lineno")), key=lambda n: -n.lineno):
                last = statement_at(tree, line)
                if node.lineno > (last.end_lineno or line if last is not None else line):
                    continue
                text = _repeats(node)
                if text:
                    about = ast.unparse(owner)
                    place = self._stack(code.co_filename, node.lineno)
                    return place, text, bool(_SHARED.search(about))
        return None


def _repeats(node: ast.AST) -> str:
    """``[layer] * n``, ``[layer for _ in ...]`` and ``layers.append(layer)`` in a loop that does not make it."""
    times = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    if times and (isinstance(node.left, ast.List) or isinstance(node.right, ast.List)):  # type: ignore[attr-defined]
        return ast.unparse(node)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and _plain(node.elt):
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        return "" if ast.unparse(node.elt).split(".")[0] in targets else ast.unparse(node)
    if isinstance(node, ast.For):
        made = {ast.unparse(x) for s in ast.walk(node) if isinstance(s, ast.Assign) for x in s.targets}
        made |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        for call in ast.walk(node):
            if not isinstance(call, ast.Call) or _last(ast.unparse(call.func)) != "append":
                continue
            if len(call.args) == 1 and _plain(call.args[0]):
                return "" if ast.unparse(call.args[0]) in made else ast.unparse(call)
    return ""


def _around(tree: ast.Module, line: int) -> tuple[ast.AST, ast.AST]:
    """The function around a line, and the class around that (or the function itself)."""
    scope: ast.AST = tree
    owner: ast.AST | None = None
    for node in ast.walk(tree):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.lineno <= line <= (node.end_lineno or 0):
            if isinstance(node, ast.ClassDef):
                owner = node
            else:
                scope = node
    if owner is None:
        owner = scope if scope is not tree else (statement_at(tree, line) or tree)
    return scope, owner


def _read_whole(node: ast.AST) -> set[str]:
    """Last names of things whose parameters are read."""
    return {
        _last(ast.unparse(n.func.value))
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _READERS
    }


def _plain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _other(one: ast.expr, two: ast.expr) -> bool:
    """Whether the last names differ: ``self.model = model`` only hands it on."""
    return _last(ast.unparse(one)) != _last(ast.unparse(two))


def _last(text: str) -> str:
    return text.rsplit(".", maxsplit=1)[-1]
