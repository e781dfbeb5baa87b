"""What the source of a script says of its ranks: collectives that have not run, epochs told to samplers, divisions by the
number of ranks, shares of the data."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from whygrad import trace as t
from whygrad.observe.collectives import NAMES
from whygrad.observe.definitions import called_name
from whygrad.observe.frames import Stacks
from whygrad.observe.world_names import Nodes, covers, name_of

_AVERAGING = {
    "average_parameters", "PeriodicModelAverager", "HierarchicalModelAverager", "PostLocalSGDOptimizer",
    "post_localSGD_hook", "PostLocalSGDState",
}  # fmt: skip
_FLAGS = {"require_backward_grad_sync", "set_requires_gradient_sync"}
_DIVIDES = {"div", "div_", "true_divide", "divide"}
_TIMES = {"mul", "mul_", "multiply"}
_SHARDING = {"fully_shard", "FullyShardedDataParallel", "FSDP"}
_WEIGHTS = ("parameters(", "state_dict(", "param_groups", ".data", ".grad")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BOUNDED = {"islice", "zip", "range"}
_FILES, _SIZE = 60, 400_000  #: files that are read, and the bytes of one


class Source:
    """The user's files that were seen, read once."""

    def __init__(self, stacks: Stacks) -> None:
        self.stacks = stacks
        small = [file for file in stacks.user_files()[:_FILES] if _size(file) < _SIZE]
        self.files = {file: Nodes(tree) for file in small if (tree := stacks.trees[file]) is not None}

    def said(self, ran: Collection[tuple[str, int]]) -> t.Said:
        """``ran``: file and line of the collectives that were seen."""
        found: dict[str, list[int]] = {name: [] for name in t.Said.__struct_fields__}
        for file, nodes in self.files.items():
            for call in nodes.calls:
                name = called_name(call)
                if name == "set_epoch" or name in _SHARDING:
                    found["set_epoch" if name == "set_epoch" else "sharding"].append(self._place(file, call))
                if name not in NAMES:
                    continue
                last = call.end_lineno or call.lineno
                if not any((file, n) in ran for n in range(call.lineno, last + 1)) and _of_weights(
                    nodes, call
                ):
                    found["collectives"].append(self._place(file, call))
                if _guarded(nodes, call):
                    found["guarded"].append(self._place(file, call))
            for node in _products(nodes, ast.Div, _DIVIDES):
                found["worlds"].append(self._place(file, node))
            for node in _products(nodes, ast.Mult, _TIMES):
                found["times"].append(self._place(file, node))
            found["shares"] += [self._place(file, node) for node in _shares(nodes)]
        return t.Said(**{name: tuple(places) for name, places in found.items()})

    def averages(self) -> bool:
        """Whether parameters are averaged now and then, by torch's own means for that."""
        return any(nodes.names & _AVERAGING for nodes in self.files.values())

    def flags(self) -> tuple[int, ...]:
        """Where the flag behind ``no_sync`` is set by hand."""
        return tuple([
            self._place(file, node)
            for file, nodes in self.files.items()
            for node in nodes.assigned
            if any(name_of(target) in _FLAGS for target in node.targets)
        ])  # fmt: skip

    def loops(self, stack: int) -> tuple[bool, tuple[int, ...]]:
        """Of the ``for`` statement that a pass over a loader begins at: whether it goes through all of it, and stacks of
        the loops around it (and around the calls that lead there), from the outermost inwards."""
        whole = False
        around: list[int] = []
        for depth, frame in enumerate(self.stacks.stacks[stack] if stack >= 0 else ()):
            code, line = self.stacks.place_of(frame)
            nodes = self.files.get(code.co_filename)
            loops = [n for n in nodes.around(line) if isinstance(n, _LOOPS)] if nodes is not None else []
            own = loops[-1] if depth == 0 and loops else None
            if isinstance(own, ast.For) and covers(own.iter, line):
                loops.pop()
                whole = not _leaves_early(own)
            around = [self._place(code.co_filename, loop) for loop in loops] + around
        return whole, tuple(around)

    def _place(self, file: str, node: ast.expr | ast.stmt) -> int:
        names = [n.name for n in self.files[file].around(node.lineno) if isinstance(n, _FUNCTIONS)]
        return self.stacks.intern((self.stacks.place(file, node.lineno, names[-1] if names else ""),))


def _of_weights(nodes: Nodes, call: ast.Call) -> bool:
    """Whether a collective stands where parameters or gradients are spoken of: in its arguments, in the loop around it or
    in the function around it."""
    said = [ast.unparse(call)]
    for node in nodes.around(call.lineno):
        if isinstance(node, ast.For):
            said.append(ast.unparse(node.iter))
        elif isinstance(node, _FUNCTIONS):
            said.append(ast.unparse(node))
    return any(word in text for text in said for word in _WEIGHTS)


def _guarded(nodes: Nodes, call: ast.Call) -> bool:
    """Whether a collective stands under a condition on the rank, whose other branch makes none."""
    for node in nodes.around(call.lineno):
        if isinstance(node, ast.If) and nodes.tells_rank(node.test):
            branches = [
                [c for s in part for c in ast.walk(s) if _is_collective(c)]
                for part in (node.body, node.orelse)
            ]
            if not all(branches):
                return True
    return False


def _products(
    nodes: Nodes, kind: type[ast.operator], names: Collection[str]
) -> Iterator[ast.BinOp | ast.AugAssign | ast.Call]:
    """Where something is divided (or multiplied) by the number of ranks."""
    for node in nodes.products:
        if not isinstance(node.op, kind):
            continue
        by = [node.value] if isinstance(node, ast.AugAssign) else [node.right]
        by += [node.left] if isinstance(node, ast.BinOp) and kind is ast.Mult else []
        if any(map(nodes.is_world, by)):
            yield node
    for call in nodes.calls:
        if called_name(call) in names and call.args and nodes.is_world(call.args[-1]):
            yield call


def _shares(nodes: Nodes) -> Iterator[ast.Subscript]:
    """Slices that take every world-th element."""
    for node in nodes.slices:
        cut = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(cut, ast.Slice) and cut.step is not None and nodes.is_world(cut.step):
            yield node


def _leaves_early(loop: ast.For) -> bool:
    """Whether a loop may end before what it goes over does."""
    inside = [n for statement in loop.body for n in ast.walk(statement)]
    if any(isinstance(n, (ast.Break, ast.Return)) for n in inside):
        return True
    return any(isinstance(n, ast.Call) and called_name(n) in _BOUNDED for n in ast.walk(loop.iter))


def _is_collective(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in NAMES


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0
