"""What the source and the objects of a dataset say: which code makes its items, and where they are returned."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType, MethodType
from typing import Any

from torch.utils.data import ConcatDataset, Dataset, Subset

from whygrad.observe.definitions import function_of, place
from whygrad.observe.frames import Stacks

DEPTH = 3  #: objects within objects that are looked at
MANY = 200  #: objects looked at in all


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


def handed_out(stacks: Stacks, code: CodeType) -> list[int]:
    """Where a function returns (or yields) something."""
    node = function_of(stacks, code)
    values = [n for n in (ast.walk(node) if node else ()) if isinstance(n, (ast.Return, ast.Yield))]
    found = [n.lineno for n in values if n.value is not None and not isinstance(n.value, ast.Constant)]
    return [place(stacks, code, line) for line in sorted(found)]


def functions_of(value: Any) -> list[FunctionType]:
    """A function, or those of an object's class, if they are not torch's."""
    kind = type(value)
    if kind is FunctionType:
        return [value] if not value.__module__.startswith("torch") else []
    if kind is MethodType:
        return [value.__func__] if type(value.__func__) is FunctionType else []
    if kind.__module__.partition(".")[0] in ("torch", "builtins", "numpy"):
        return []
    return [f for f in vars(kind).values() if type(f) is FunctionType]


def is_dataset(value: Any) -> bool:
    """Whether it is one of torch's datasets, or of the user's made from them."""
    return issubclass(type(value), Dataset)
