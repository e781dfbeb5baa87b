"""What the script is still going to do, by its source: calls in the loop that trains, or after it, that have not run.

Only kinds that decide whether a model learns the right thing are looked for: modes, schedulers, snapshots of weights and
their return, freezing, further optimizers; and what runs without autograd where no ``eval()`` stands in the source.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch

from whygrad.observe.frames import Stacks

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_METHODS = {
    "train": "mode", "eval": "mode", "requires_grad_": "freeze", "load_state_dict": "load", "state_dict": "state",
}  # fmt: skip
_OPTIMIZERS = {name for name, kind in vars(torch.optim).items() if isinstance(kind, type)}
_SCHEDULER = re.compile(r"sched|plateau|lr_|_lr\b|warm|anneal", re.IGNORECASE)
_MAKES_SCHEDULER = re.compile(r"lr_scheduler|LR$|Plateau|schedule", re.IGNORECASE)
_SILENCES = ("no_grad", "inference_mode")
_LATER = ("load", "freeze", "optimizer", "save", "silence")  #: kinds that matter after the loop, too
_DEPTH = 3  #: calls of the user's own functions that are followed into each other
_FILES, _SIZE = 60, 400_000  #: files of the user's that are read, and the bytes of one


class Moment:
    """A call that has not run. ``turns``: it stands in a loop that goes round the training steps."""

    def __init__(self, kind: str, file: str, first: int, last: int, turns: bool) -> None:
        self.kind, self.file, self.first, self.last, self.turns = kind, file, first, last, turns

    def among(self, places: Iterable[tuple[str, int]]) -> bool:
        """Whether it is one of the places that ran."""
        return any(file == self.file and self.first <= line <= self.last for file, line in places)


class Ahead:
    """Reads the user's files once. ``modal``: the model has layers that heed its mode."""

    def __init__(self, stacks: Stacks, modal: bool = False) -> None:
        self._stacks = stacks
        self._modal = modal
        self._functions: dict[str, list[tuple[str, ast.AST, bool]]] = {}
        self._schedulers: set[str] = set()
        self._states: set[str] = set()  #: variables that hold weights as a whole
        self._taken: set[tuple[int, bool]] = set()
        for file in self._files():
            tree = stacks.trees[file]
            if tree is not None:
                self._index(file, tree, False)
        for tree in [stacks.trees[file] for file in stacks.user_files()] if modal else ():
            self._modal = self._modal and not any(map(_evaluates, ast.walk(tree) if tree is not None else ()))

    def moments(self, stack: int) -> list[Moment]:
        """What will come where the present step's stack goes on."""
        found: dict[tuple[str, int, int], Moment] = {}
        self._taken = set()
        turns = False  # whether a loop further out comes back to everything in the frame
        for frame in reversed(self._stacks.stacks[stack] if stack >= 0 else ()):
            code, line = self._stacks.place_of(frame)
            tree = self._stacks.trees[code.co_filename]
            if tree is None:
                continue
            scope = _scope(tree, line)
            for node, again in _coming(scope, line, turns):
                self._take(code.co_filename, node, again, found, _DEPTH)
            turns = turns or _in_loop(scope, line)
        return [m for m in found.values() if m.turns or m.kind in _LATER]

    # -- the source ----------------------------------------------------------------------------------

    def _files(self) -> list[str]:
        files = self._stacks.user_files()
        for module in list(sys.modules.values()):
            file = getattr(module, "__dict__", {}).get("__file__")
            if type(file) is not str or not file.endswith(".py") or file in files or "-packages" in file:
                continue
            if self._stacks.is_user(compile("", file, "exec")):
                files.append(file)
        return [f for f in files[:_FILES] if _size(f) < _SIZE]

    def _index(self, file: str, node: ast.AST, in_module: bool) -> None:
        """Functions by their names, and variables that hold schedulers. ``in_module``: methods of an nn.Module."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _FUNCTIONS):
                self._functions.setdefault(child.name, []).append((file, child, in_module))
            if isinstance(child, ast.Assign):
                names = {n for target in child.targets for n in _bound(target)}
                value = child.value
                if isinstance(value, ast.Call) and _MAKES_SCHEDULER.search(ast.unparse(value.func)):
                    self._schedulers |= names
                if "state_dict()" in ast.unparse(value):
                    self._states |= names
            inner = in_module
            if isinstance(child, ast.ClassDef):
                inner = any("Module" in ast.unparse(base) for base in child.bases)
            self._index(file, child, inner)

    def _take(
        self,
        file: str,
        node: ast.AST,
        turns: bool,
        found: dict[tuple[str, int, int], Moment],
        depth: int,
    ) -> None:
        """Note one call or assignment, or what the user's function that is called does."""
        kind = self._kind(node)
        if kind:
            key = (file, node.lineno, node.end_lineno or node.lineno)  # type: ignore[attr-defined]
            if key not in found or turns:
                found[key] = Moment(kind, *key, turns)
        if not depth or not isinstance(node, ast.Call):
            return
        for where, function, in_module in self._functions.get(_last(node.func), ()):
            self._decorated(where, function, turns, found)
            key_of_call = (id(function), turns)
            if not (in_module and kind == "mode") and key_of_call not in self._taken:
                self._taken.add(key_of_call)
                for inner, _ in _coming(function, 0, True):
                    self._take(where, inner, turns, found, depth - 1)

    def _decorated(
        self, file: str, function: ast.AST, turns: bool, found: dict[tuple[str, int, int], Moment]
    ) -> None:
        """A function that autograd is switched off for as a whole."""
        for one in function.decorator_list if self._modal and isinstance(function, _FUNCTIONS) else ():
            if _last(one.func if isinstance(one, ast.Call) else one) in _SILENCES:
                key = (file, one.lineno, function.lineno)  # type: ignore[attr-defined]
                found[key] = Moment("silence", *key, turns)

    def _kind(self, node: ast.AST) -> str:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [t.attr for t in targets if isinstance(t, ast.Attribute)]
            return "freeze" if "requires_grad" in names else ""
        if not isinstance(node, ast.Call):
            return ""
        name = _last(node.func)
        if name in _OPTIMIZERS:
            return "optimizer"
        if name in _SILENCES:
            return "silence" if self._modal else ""
        if not isinstance(node.func, ast.Attribute):
            return ""
        if name == "step":
            holder = ast.unparse(node.func.value)
            known = holder.split(".")[-1] in self._schedulers or _SCHEDULER.search(holder)
            return "schedule" if known else ""
        if name == "save" and node.args and ast.unparse(node.func.value) == "torch":
            held = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
            held |= {n.attr for n in ast.walk(node.args[0]) if isinstance(n, ast.Attribute)}
            return "save" if held & self._states else ""
        kind = _METHODS.get(name, "")
        own = self._functions.get(name, ())
        return "" if own and not any(in_module for _, _, in_module in own) else kind


def _coming(scope: ast.AST, line: int, turns: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Calls and assignments below ``scope`` that run after ``line``, and whether a loop around ``line`` comes back to
    them. Functions defined there run only when they are called."""
    for field, value in ast.iter_fields(scope):
        children = value if isinstance(value, list) else [value]
        for child in children:
            if not isinstance(child, ast.AST) or isinstance(child, _SCOPES):
                continue
            if isinstance(scope, ast.If) and not turns and field == "orelse" and _covers(scope.body, line):
                continue  # the branch that was not taken
            again = turns or (isinstance(child, _LOOPS) and _covers([child], line))
            if isinstance(child, (ast.Call, ast.Assign, ast.AnnAssign)) and (turns or child.lineno > line):
                yield child, turns
            if turns or getattr(child, "end_lineno", line) >= line:
                yield from _coming(child, line, again)


def _covers(nodes: Iterable[ast.AST], line: int) -> bool:
    return any(n.lineno <= line <= (n.end_lineno or n.lineno) for n in nodes)  # type: ignore[attr-defined]


def _in_loop(scope: ast.AST, line: int) -> bool:
    """Whether a loop within ``scope`` goes round ``line``."""
    node: ast.AST | None = scope
    while node is not None:
        if isinstance(node, _LOOPS):
            return True
        node = next(
            (c for c in ast.iter_child_nodes(node) if hasattr(c, "lineno") and _covers([c], line)), None
        )
    return False


def _scope(tree: ast.Module, line: int) -> ast.AST:
    best: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and _covers([node], line):
            best = node  # ast.walk goes outside in: the last match is the innermost
    return best


def _bound(target: ast.expr) -> list[str]:
    """Last names of what an assignment binds."""
    if isinstance(target, ast.Tuple):
        return [name for one in target.elts for name in _bound(one)]
    while isinstance(target, ast.Subscript):
        target = target.value
    return [_last(target)]


def _last(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _evaluates(node: ast.AST) -> bool:
    """Whether a call may switch a model to evaluation mode."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    given = [*node.args, *(k.value for k in node.keywords)]
    off = any(not (isinstance(a, ast.Constant) and a.value is True) for a in given)
    return (node.func.attr == "eval" and not given) or (node.func.attr == "train" and off)


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return _SIZE
