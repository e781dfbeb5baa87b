"""The arguments of a recorded operation, as numbers."""

from __future__ import annotations

import re

from whygrad import trace as t


def number(kind: t.OpKind, *keys: str) -> int | None:
    """An argument that is a whole number, under the first of the keys that it is given by."""
    text = next((kind.args[k] for k in keys if k in kind.args), "")
    return int(text) if text.lstrip("-").isdigit() else None


def numbers(kind: t.OpKind, *keys: str) -> list[int]:
    """An argument that is one whole number or several."""
    text = next((kind.args[k] for k in keys if k in kind.args), "")
    return [int(n) for n in re.findall(r"-?\d+", text)] if not text.endswith("...") else []


def permutation(kind: t.OpKind, rank: int) -> list[int] | None:
    """For each axis of the result of a transposing operation the axis that it was; None if that is not known."""
    order = list(range(rank))
    if kind.name == "permute":
        dims = numbers(kind, "dims", "1") if "2" not in kind.args else _listed(kind)
        dims = [d % rank for d in dims] if rank else []
        return dims if sorted(dims) == order else None
    if kind.name in ("movedim", "moveaxis"):
        source, target = number(kind, "1", "source"), number(kind, "2", "destination")
        if source is None or target is None:
            return None
        order.insert(target % rank, order.pop(source % rank))
        return order
    if kind.name in ("t", "T"):
        return order[::-1] if rank == 2 else None
    pair = (-2, -1) if kind.name == "mT" else (number(kind, "1", "dim0"), number(kind, "2", "dim1"))
    if pair[0] is None or pair[1] is None:
        return None
    a, b = pair[0] % rank, pair[1] % rank
    order[a], order[b] = order[b], order[a]
    return order


def _listed(kind: t.OpKind) -> list[int]:
    found: list[int] = []
    while (value := number(kind, str(len(found) + 1))) is not None:
        found.append(value)
    return found
