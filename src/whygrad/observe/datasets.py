"""What the source and the objects of a dataset say: where items are returned, which random generators it carries."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator
from pathlib import PurePath
from types import CodeType, FunctionType, MethodType
from typing import Any

import torch
from torch.utils.data import ConcatDataset, Dataset, Subset

from whygrad.observe.containers import attributes, contents
from whygrad.observe.frames import Stacks
from whygrad.observe.source import bindings

_MAKERS = {"default_rng", "RandomState", "Generator", "Random", "PCG64", "manual_seed"}
_SEEDERS = {"seed", "manual_seed", "manual_seed_all", "seed_everything", "set_seed", "seed_all"}
_RESEEDING = {*_SEEDERS, "set_state", "setstate", "get_worker_info", "initial_seed", "spawn", "jumped"}
_DEPTH = 3
_MANY = 200
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def innermost(dataset: Any) -> Any:
    """The dataset within torch's own wrappers."""
    for _ in range(4):
        if type(dataset) is Subset:
            dataset = dataset.dataset
        elif type(dataset) is ConcatDataset and dataset.datasets:
            dataset = dataset.datasets[0]
        else:
            break
    return dataset


def item_code(dataset: Any) -> CodeType | None:
    """The code that makes the items."""
    kind = type(dataset)
    for name in ("__getitem__", "__iter__", "__getitems__"):
        found = next((c.__dict__[name] for c in kind.__mro__ if name in c.__dict__), None)
        if isinstance(found, FunctionType) and found.__module__.partition(".")[0] != "torch":
            return found.__code__
    return None


def function_of(stacks: Stacks, code: CodeType) -> _Function | None:
    """The definition that a code object was compiled from."""
    tree = stacks.trees[code.co_filename]
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
    return None


def place(stacks: Stacks, code: CodeType, line: int) -> int:
    """A stack of one frame at a line of a function."""
    name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
    return stacks.intern((stacks.place(code.co_filename, line, "" if name == "<module>" else name),))


def handed_out(stacks: Stacks, code: CodeType) -> list[int]:
    """Where a function returns (or yields) something."""
    node = function_of(stacks, code)
    values = [n for n in (ast.walk(node) if node else ()) if isinstance(n, (ast.Return, ast.Yield))]
    found = [n.lineno for n in values if n.value is not None and not isinstance(n.value, ast.Constant)]
    return [place(stacks, code, line) for line in sorted(found)]


def constant_seeds(stacks: Stacks, code: CodeType) -> list[int]:
    """Where the function that makes an item sets a seed that does not depend on the item."""
    node = function_of(stacks, code)
    if node is None:
        return []
    own = {a.arg for a in [*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs][1:]}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found = []
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called(call) in _SEEDERS and call.args:
            names = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
            inner = any(isinstance(n, ast.Call) for a in call.args for n in ast.walk(a))
            receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
            module = isinstance(receiver, (ast.Name, ast.Attribute)) or receiver is None
            if not names & own and not inner and module and not _on_self(receiver):
                found.append(call.lineno)
    return [place(stacks, code, line) for line in sorted(found)]


def seeding_lines(scope: ast.AST | None) -> list[int]:
    """Lines in a piece of source that make a generator or set a seed."""
    calls = [n for n in (ast.walk(scope) if scope is not None else ()) if isinstance(n, ast.Call)]
    return sorted({c.lineno for c in calls if _called(c) in _SEEDERS | _MAKERS})


def _on_self(receiver: ast.expr | None) -> bool:
    return isinstance(receiver, ast.Attribute) and ast.unparse(receiver).startswith("self.")


def _called(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def is_generator(value: Any) -> bool:
    """Whether an object draws random numbers from a state of its own."""
    kind = type(value)
    if issubclass(kind, (random.Random, torch.Generator)):
        return not issubclass(kind, random.SystemRandom)
    return kind.__module__.startswith("numpy.random") and kind.__name__ in ("Generator", "RandomState")


def carried_generators(stacks: Stacks, dataset: Any, extra: Any) -> list[int]:
    """Where the generators were made that a dataset (or the function that joins its items) takes into the workers."""
    found: dict[int, None] = {}
    for owner, name in _holders(dataset, extra):
        for stack in _made(stacks, owner, name):
            found.setdefault(stack)
    return list(found)


def _holders(*roots: Any) -> Iterator[tuple[Any, str]]:
    """(object, attribute) or (function, global name) that hold a generator of random numbers."""
    queue = [(root, 0) for root in roots if root is not None]
    seen: set[int] = set()
    while queue and len(seen) < _MANY:
        value, depth = queue.pop(0)
        if id(value) in seen or isinstance(value, torch.Tensor):
            continue
        seen.add(id(value))
        for function in _functions(value):
            for name in function.__code__.co_names:
                if is_generator(function.__globals__.get(name)):
                    yield function, name
        for name, item in attributes(value).items():
            if is_generator(item):
                yield value, name
        if depth < _DEPTH:
            queue += [
                (item, depth + 1) for _, _, item in contents(value) if type(item) not in (int, float, str)
            ]


def _functions(value: Any) -> list[FunctionType]:
    kind = type(value)
    if kind is FunctionType:
        return [value] if not value.__module__.startswith("torch") else []
    if kind is MethodType:
        return [value.__func__] if type(value.__func__) is FunctionType else []
    if kind.__module__.partition(".")[0] in ("torch", "builtins", "numpy"):
        return []
    return [f for f in vars(kind).values() if type(f) is FunctionType]


def _made(stacks: Stacks, owner: Any, name: str) -> list[int]:
    """The lines that make the generator ``name`` of ``owner``; none where the source seeds it again later."""
    functions = [owner] if type(owner) is FunctionType else _functions(owner)
    if not functions:
        return []
    file = functions[0].__code__.co_filename
    tree = stacks.trees[file]
    nodes = {f.__name__: n for f in functions if (n := function_of(stacks, f.__code__)) is not None}
    later = [n for key, n in nodes.items() if key != "__init__" or len(functions) == 1]
    if any(_reseeds(n, name) for n in later) or not any(_mentions(n, name) for n in later):
        return []
    made = ast.walk(tree) if tree else ()
    lines = [n.lineno for n in made if isinstance(n, (ast.Assign, ast.AnnAssign)) and _makes(n, name)]
    if type(owner) is not FunctionType and "__init__" in nodes:
        own = nodes["__init__"]
        inside = [line for line in lines if own.lineno <= line <= (own.end_lineno or own.lineno)]
        lines = inside or lines
    if not lines:  # handed in from elsewhere
        lines = [
            n.lineno
            for n in (ast.walk(tree) if tree else ())
            if isinstance(n, ast.Call) and _called(n) in _MAKERS
        ]
    code = functions[0].__code__
    init = next((f.__code__ for f in functions if f.__name__ == "__init__"), code)
    within = nodes.get("__init__")
    found = []
    for line in lines[:2]:
        inside_init = within is not None and within.lineno <= line <= (within.end_lineno or 0)
        frame = stacks.place(file, line, getattr(init, "co_qualname", init.co_name) if inside_init else "")
        found.append(stacks.intern((frame,)))
    return found


def _mentions(node: ast.AST, name: str) -> bool:
    found = ast.walk(node)
    return any(getattr(n, "attr", "") == name or getattr(n, "id", "") == name for n in found)


def _makes(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    if node.value is None:
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    named = any((t.attr if isinstance(t, ast.Attribute) else getattr(t, "id", "")) == name for t in targets)
    return named and any(isinstance(c, ast.Call) and _called(c) in _MAKERS for c in ast.walk(node.value))


def _reseeds(node: ast.AST, name: str) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and _called(inner) in _RESEEDING:
            return True
        stored = isinstance(inner, (ast.Attribute, ast.Name)) and isinstance(inner.ctx, ast.Store)
        if stored and name in (getattr(inner, "attr", ""), getattr(inner, "id", "")):
            return True
    return False


def columns(dataset: Any, rows: int) -> list[Any]:
    """What may be the targets of a whole dataset: its attributes with one number for each item."""
    found = []
    for value in attributes(dataset).values():
        parts = value if type(value) is tuple and len(value) < 8 else (value,)
        for part in parts:
            column = _column(part, rows)
            if column is not None:
                found.append(column)
    return found


def _column(part: Any, rows: int) -> torch.Tensor | None:
    if (
        type(part) is list
        and 0 < len(part) == rows <= 10**6
        and all(type(v) in (int, float) for v in part[:64])
    ):
        try:
            return torch.tensor(part)
        except Exception:
            return None
    if type(part).__module__ == "numpy" and type(part).__name__ == "ndarray" and part.dtype.kind in "iufb":
        part = torch.from_numpy(part) if part.flags.writeable and part.dtype.byteorder in "=|<" else None
    if type(part) is not torch.Tensor or not part.is_cpu or part.dim() not in (1, 2):
        return None
    return part.detach() if part.shape[0] == rows == part.numel() else None


def is_dataset(value: Any) -> bool:
    """Whether it is one of torch's datasets, or of the user's made from them."""
    return issubclass(type(value), Dataset)


def files_apart(stacks: Stacks, dataset: Any, code: CodeType) -> int:
    """Where an item takes its parts from two lists of file names that hold the same names in different orders; -1 if it
    does not."""
    node = function_of(stacks, code)
    by_index: dict[str, list[tuple[str, int]]] = {}
    for part in ast.walk(node) if node else ():
        if (
            isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Attribute)
            and isinstance(part.slice, ast.Name)
        ):
            by_index.setdefault(part.slice.id, []).append((part.value.attr, part.lineno))
    held = attributes(dataset)
    for used in by_index.values():
        stems = {name: found for name, _ in used if (found := _stems(held.get(name)))}
        for one, other in itertools.combinations(stems, 2):
            a, b = stems[one], stems[other]
            if len(a) == len(b) and a != b and sorted(a) == sorted(b):
                filled = bindings(stacks.trees[code.co_filename], type(dataset).__name__, other)
                filled += bindings(stacks.trees[code.co_filename], type(dataset).__name__, one)
                lines = filled or [line for name, line in used if name == other]
                return place(stacks, code, lines[0])
    return -1


def _begin_alike(names: list[str]) -> int:
    """How many characters all names begin with."""
    first, last = min(names), max(names)  # what these two share, all share
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def _stems(value: Any) -> list[str]:
    """Names of files without folder, extension and what all of them begin or end with."""
    if type(value) not in (list, tuple) or not 4 <= len(value) <= 10**5:
        return []
    texts = [str(v) if isinstance(v, (str, PurePath)) else "" for v in value]
    if not all(texts):
        return []
    names = [PurePath(text).stem for text in texts]
    start = _begin_alike(names)
    end = _begin_alike([n[::-1] for n in names])
    cut = [n[start : len(n) - end] if len(n) > start + end else n[start:] for n in names]
    return cut if len(set(cut)) == len(cut) else []


def buffers(stacks: Stacks, dataset: Any) -> list[int]:
    """Where an array that a dataset (or a transform of it) keeps is handed out and written to, read from the source."""
    found: list[int] = []
    queue = [(dataset, 0)]
    seen: set[int] = set()
    while queue and len(seen) < _MANY:
        value, depth = queue.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        arrays = [
            n
            for n, v in attributes(value).items()
            if type(v) is torch.Tensor or type(v).__name__ == "ndarray"
        ]
        if arrays:
            found += _kept_arrays(stacks, value, set(arrays))
        if (depth < _DEPTH and not arrays) or value is dataset:
            queue += [
                (v, depth + 1)
                for _, _, v in contents(value)
                if type(v) not in (int, float, str, torch.Tensor)
            ]
    return found


def _kept_arrays(stacks: Stacks, owner: Any, arrays: set[str]) -> list[int]:
    written: dict[str, tuple[CodeType, int]] = {}
    nodes = [(f.__code__, n) for f in _functions(owner) if (n := function_of(stacks, f.__code__)) is not None]
    for code, node in nodes:
        for inner in ast.walk(node) if node.name != "__init__" else ():
            for target in _written_by(inner):
                if (name := _attribute(target)) in arrays:
                    written.setdefault(name, (code, inner.lineno))  # type: ignore[attr-defined]
    out = []
    for code, node in nodes:
        aliases = {
            t.id
            for n in ast.walk(node)
            if isinstance(n, ast.Assign) and _attribute(n.value) in written
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                used = {_attribute(n) for n in ast.walk(inner.value) if isinstance(n, ast.Attribute)} & set(
                    written
                )
                named = {n.id for n in ast.walk(inner.value) if isinstance(n, ast.Name)} & aliases
                if used or named:
                    out.append(place(stacks, code, inner.lineno))
    return out + [place(stacks, *where) for where in written.values()]


def _written_by(node: ast.AST) -> list[ast.expr]:
    """What a statement or a call writes into."""
    if isinstance(node, ast.Assign):
        return [t.value for t in node.targets if isinstance(t, ast.Subscript)]
    if isinstance(node, ast.AugAssign):
        return [node.target.value if isinstance(node.target, ast.Subscript) else node.target]
    if isinstance(node, ast.Call):
        out = [k.value for k in node.keywords if k.arg == "out"]
        if isinstance(node.func, ast.Attribute) and (
            node.func.attr.endswith("_") or node.func.attr == "fill"
        ):
            out.append(node.func.value)
        if _called(node) == "copyto" and node.args:
            out.append(node.args[0])
        return out
    return []


def _attribute(node: ast.AST) -> str:
    """``a`` of ``self.a`` (also with an index behind it)."""
    while isinstance(node, ast.Subscript):
        node = node.value
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""
