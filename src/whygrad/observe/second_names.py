"""Second names of one module, where two modules were meant."""

from __future__ import annotations

import ast
import sys
import weakref
from typing import TYPE_CHECKING, Any

import torch

from whygrad import trace as t
from whygrad.observe.containers import attributes
from whygrad.observe.frames import Stacks
from whygrad.observe.loops import Loops
from whygrad.observe.naming_source import (
    Lines,
    Place,
    assignments,
    averaged,
    calls_of,
    copying,
    dictionaries,
    kept_as_best,
    last,
    listed,
    loop_around,
    written_by_key,
)
from whygrad.observe.variables import scopes

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation

_MANY = 300  #: objects whose attributes are read


class Names:
    """Reads the variables and the source once, at the end of the window."""

    def __init__(self, seen: Observation, copied: dict[int, weakref.ref[torch.nn.Module]]) -> None:
        self.seen, self.recorder, self.copied = seen, seen.recorder, copied
        self.stacks = seen.recorder.stacks
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        self._stepped = stepped
        self._loops = Loops(self.stacks)
        self._held = {p for k in seen.optimizers.known for g in k.groups for p in g.params}
        newest = next((s.optimizer for s in reversed(self.recorder.steps)), -1)
        stepping = [k for k in seen.optimizers.known if k.index == newest]
        self._stepping = {p for k in stepping for g in k.groups for p in g.params}
        self._modules: dict[str, dict[int, torch.nn.Module]] = {}
        trees = {file: self.stacks.trees[file] for file in self.stacks.user_files()}
        self._trees = {file: tree for file, tree in trees.items() if tree is not None}

    def aliases(self) -> tuple[t.Alias, ...]:
        """All that something speaks for."""
        assigned = list(assignments(self._trees))
        kept = list(listed(self._trees))
        found = [self._by_copy(stack, ref(), assigned) for stack, ref in self.copied.items()]
        if assigned or kept:
            self._read_variables()
        for file, node, name, other in assigned:
            module = self._same(name, other)
            params = self.params(module) if module is not None else ()
            if params:
                found.append(self._judge(file, node, name, other, params))
            elif module is None and last(name) not in self._modules:
                found.append(self._to_be_kept(file, node, name, other))
        found += [self._to_be_kept(*one, how="listed") for one in kept]
        found += self._shadows()
        unique: dict[int, t.Alias] = {}
        for one in found:
            if one is not None:
                unique.setdefault(one.stack, one)
        return tuple(unique.values())

    def _by_copy(
        self, stack: int, module: torch.nn.Module | None, assigned: list[tuple[str, ast.Assign, str, str]]
    ) -> t.Alias | None:
        """``a.load_state_dict(b.state_dict())`` of one module, if the names are different ones."""
        code, line = self.stacks.place_of(self.stacks.stacks[stack][0]) if stack >= 0 else (None, 0)
        names = copying(self.stacks.trees[code.co_filename], line) if code is not None else None
        if module is None or names is None:
            return None
        params = self.params(module)
        into, source = last(names[0]), last(names[1])
        if not params or names[0] == names[1]:
            return None
        made = next(
            ((f, n) for f, n, a, b in assigned if {last(a), last(b)} == {into, source}),
            next(((f, n) for f, n, a, b in assigned if last(a) in (into, source)), None),
        )
        place = stack if made is None else self._stack(made[0], made[1].lineno)
        return t.Alias(place, names[0], names[1], "copied", stack, True, params)

    def _judge(
        self, file: str, node: ast.Assign, name: str, other: str, params: tuple[int, ...]
    ) -> t.Alias | None:
        """What shows that the new name was meant to be another module."""
        stack = self._stack(file, node.lineno)
        both = averaged(self._trees, last(name), last(other))
        if both is not None:
            ran = any(
                e.kind == "write" and self._within(e.stack, both) for e in self.recorder.finished_events()
            )
            use = self._stack(both[0], both[1])
            return t.Alias(stack, name, other, "averaged", use, ran, params)
        if self._stepping.intersection(params) and kept_as_best(self._trees[file], node, name, other):
            return t.Alias(stack, name, other, "best", stack, False, params)
        use = self._called_without_grad(last(name), last(other))
        return None if use < 0 else t.Alias(stack, name, other, "target", use, True, params)

    def _to_be_kept(
        self, file: str, node: ast.Assign, name: str, other: str, how: str = "best"
    ) -> t.Alias | None:
        """``best_model = model`` that has not run yet, or ``best = list(model.parameters())``, in the loop that goes on
        training this very model."""
        modules = list(self._modules.get(last(other), {}).values())
        params = self.params(modules[0]) if len(modules) == 1 else ()
        loop = loop_around(self._trees[file], node)
        if loop is None or not self._stepping.intersection(params):
            return None
        lines = file, loop.lineno, loop.end_lineno or loop.lineno
        if not self._within(self._stepped, lines) or not kept_as_best(self._trees[file], node, name, other):
            return None
        stack = self._stack(file, node.lineno)
        return t.Alias(stack, name, other, how, stack, False, params)

    def _shadows(self) -> list[t.Alias]:
        """Averages kept in a dictionary that holds the live tensors: a line that updates it has written parameters."""
        found = []
        writes = [e for e in self.recorder.finished_events() if e.kind == "write" and e.stack >= 0]
        places = {e.stack: e for e in writes}
        for file, node, name, other in dictionaries(self._trees):
            for stack, event in places.items():
                code, line = self.stacks.place_of(self.stacks.stacks[stack][0])
                params = tuple(p for p in event.params if p in self._held)
                if params and written_by_key(self.stacks.trees[code.co_filename], line, last(name)):
                    place = self._stack(file, node.lineno)
                    found.append(t.Alias(place, name, other, "shadow", stack, True, params))
        return found

    def _within(self, stack: int, lines: Lines) -> bool:
        for frame in self.stacks.stacks[stack] if stack >= 0 else ():
            code, line = self.stacks.place_of(frame)
            if code.co_filename == lines[0] and lines[1] <= line <= lines[2]:
                return True
        return False

    def _called_without_grad(self, name: str, other: str) -> int:
        """A stack at which the new name is called without autograd, if the old one is called with it."""
        off, on = calls_of(self._trees, name), calls_of(self._trees, other)
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

    def _same(self, name: str, other: str) -> torch.nn.Module | None:
        """A module that variables or attributes of both names hold."""
        one, two = self._modules.get(last(name), {}), self._modules.get(last(other), {})
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
        return at(self.stacks, file, line)


def at(stacks: Stacks, file: str, line: int) -> int:
    """A stack of one frame at a line."""
    return stacks.intern((stacks.place(file, line, ""),))
