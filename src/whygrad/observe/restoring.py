"""What a state that is loaded has to do with the module that it is loaded into, told from names, shapes and memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

import torch

_DICTS = (dict, OrderedDict)
_TENSORS = (torch.Tensor, torch.nn.Parameter)
_MANY = 20_000  #: names that are looked at


def named(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters by all of their names, without a call of any method that a user may have overridden."""
    waiting: list[tuple[str, torch.nn.Module]] = [("", module)]
    seen = 0
    while waiting and seen < _MANY:
        prefix, one = waiting.pop(0)
        for name, tensor in one.__dict__.get("_parameters", {}).items():
            seen += 1
            if tensor is not None:
                yield prefix + name, tensor
        for name, child in one.__dict__.get("_modules", {}).items():
            if child is not None and prefix.count(".") < 40:
                waiting.append((f"{prefix}{name}.", child))


def given(state: Any) -> dict[str, torch.Tensor]:
    """The tensors of a state, by their names."""
    if type(state) not in _DICTS or len(state) > _MANY:
        return {}
    return {k: v for k, v in state.items() if type(k) is str and type(v) in _TENSORS}


def torn(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, str] | None:
    """Two names that stood for one parameter, and do not any more (numbers say which)."""
    first: dict[int, str] = {}
    for name, number in before.items():
        other = first.setdefault(number, name)
        if other != name and name in after and other in after and after[name] != after[other]:
            return other, name
    return None


def renamed(
    missing: Mapping[str, tuple[int, ...]],
    unexpected: Mapping[str, tuple[int, ...]],
    own: set[str],
    state: set[str],
) -> list[tuple[str, str]]:
    """Weights that seem to be the same under another name: a prefix was added or lost, or one part of the name is another
    word, which the other side does not have in that place; with shapes of two dimensions at least."""
    found = []
    left = {k: v for k, v in unexpected.items() if len(v) > 1}
    for name, shape in missing.items():
        if len(shape) < 2:
            continue
        other = next((u for u, s in left.items() if s == shape and _alike(name, u, own, state)), None)
        if other is not None:
            found.append((name, other))
            del left[other]
    return found


def _alike(name: str, other: str, own: set[str], state: set[str]) -> bool:
    if name.endswith(f".{other}") or other.endswith(f".{name}"):
        return True
    a, b = name.split("."), other.split(".")
    apart = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    if len(a) != len(b) or len(apart) != 1 or a[apart[0]].isdigit() or b[apart[0]].isdigit():
        return False
    i = apart[0]
    here, there = ".".join(a[: i + 1]), ".".join(b[: i + 1])
    return not any(n.startswith(f"{here}.") for n in state) and not any(
        n.startswith(f"{there}.") for n in own
    )
