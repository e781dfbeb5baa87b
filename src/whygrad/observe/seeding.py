"""Random generators that a dataset carries into its workers, and seeds that its items set, read from the source."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import torch

from whygrad.observe.containers import attributes, contents
from whygrad.observe.datasets import DEPTH, MANY, functions_of
from whygrad.observe.definitions import called_name, function_of, place
from whygrad.observe.frames import Stacks

_MAKERS = {"default_rng", "RandomState", "Generator", "Random", "PCG64", "manual_seed"}
_SEEDERS = {"seed", "manual_seed", "manual_seed_all", "seed_everything", "set_seed", "seed_all"}
#: What noise is drawn by. A permutation or a choice that is always the same may be meant.
_NOISE = {
    "normal", "standard_normal", "uniform", "random", "random_sample", "rand", "randn", "integers", "randint", "gauss",
    "randrange", "rand_like", "randn_like", "bernoulli", "uniform_", "normal_",
}  # fmt: skip
_RESEEDING = {*_SEEDERS, "set_state", "setstate", "get_worker_info", "initial_seed", "spawn", "jumped"}


def constant_seeds(stacks: Stacks, code: CodeType, method: bool = True) -> list[int]:
    """Where the function that makes an item (or, no ``method``, one that is told the worker) sets a seed, or makes a
    generator that it draws noise from, with a seed that does not depend on what the function is given."""
    node = function_of(stacks, code)
    if node is None:
        return []
    own = {a.arg for a in [*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs][int(method) :]}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    # a stream makes its generator once for all of its items
    noisy = code.co_name != "__iter__" and any(_draws_noise(n) for n in ast.walk(node))
    found = []
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        names = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
        inner = any(isinstance(n, ast.Call) for a in call.args for n in ast.walk(a))
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        module = isinstance(receiver, (ast.Name, ast.Attribute)) or receiver is None
        seeds = called_name(call) in _SEEDERS and module and not _on_self(receiver)
        made = (
            isinstance(receiver, ast.Call) and called_name(receiver) in _MAKERS
        )  # Generator().manual_seed(0)
        makes = noisy and (called_name(call) in _MAKERS - _SEEDERS or made)
        if (seeds or makes) and not names & own and not inner:
            found.append(call.lineno)
    return [place(stacks, code, line) for line in sorted(set(found))]


def draws(dataset: Any, extra: Any) -> bool:
    """Whether what makes the items (or joins them) calls for random numbers by the names that are usual for it."""
    queue = [(root, 0) for root in (dataset, extra) if root is not None]
    seen: set[int] = set()
    while queue and len(seen) < MANY:
        value, depth = queue.pop(0)
        if id(value) in seen or isinstance(value, torch.Tensor):
            continue
        seen.add(id(value))
        called = [f for f in functions_of(value) if f.__name__ != "__init__"]
        if "Random" in type(value).__name__ or any(_NOISE.intersection(f.__code__.co_names) for f in called):
            return True
        if depth < DEPTH:
            queue += [
                (item, depth + 1) for _, _, item in contents(value) if type(item) not in (int, float, str)
            ]
    return False


def seeding_lines(scope: ast.AST | None) -> list[int]:
    """Lines in a piece of source that make a generator or set a seed."""
    calls = [n for n in (ast.walk(scope) if scope is not None else ()) if isinstance(n, ast.Call)]
    return sorted({c.lineno for c in calls if called_name(c) in _SEEDERS | _MAKERS})


def _draws_noise(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in _NOISE


def _on_self(receiver: ast.expr | None) -> bool:
    return isinstance(receiver, ast.Attribute) and ast.unparse(receiver).startswith("self.")


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
    while queue and len(seen) < MANY:
        value, depth = queue.pop(0)
        if id(value) in seen or isinstance(value, torch.Tensor):
            continue
        seen.add(id(value))
        for function in functions_of(value):
            for name in function.__code__.co_names:
                if is_generator(function.__globals__.get(name)):
                    yield function, name
        for name, item in attributes(value).items():
            if is_generator(item):
                yield value, name
        if depth < DEPTH:
            queue += [
                (item, depth + 1) for _, _, item in contents(value) if type(item) not in (int, float, str)
            ]


def _made(stacks: Stacks, owner: Any, name: str) -> list[int]:
    """The lines that make the generator ``name`` of ``owner``; none where the source seeds it again later."""
    functions = [owner] if type(owner) is FunctionType else functions_of(owner)
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
            if isinstance(n, ast.Call) and called_name(n) in _MAKERS
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
    return named and any(isinstance(c, ast.Call) and called_name(c) in _MAKERS for c in ast.walk(node.value))


def _reseeds(node: ast.AST, name: str) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and called_name(inner) in _RESEEDING:
            return True
        stored = isinstance(inner, (ast.Attribute, ast.Name)) and isinstance(inner.ctx, ast.Store)
        if stored and name in (getattr(inner, "attr", ""), getattr(inner, "id", "")):
            return True
    return False
