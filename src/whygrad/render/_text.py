"""Safe and readable pieces of text: control characters made visible, numbers, folded lists of names."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

_FEW = 8  #: so many names are all listed, of more only some
_SHOWN = 3
_GROUPS = 6  #: parts of a model that are told apart in a list of names
_ABBREVIATIONS = {"grad": "gradient", "grads": "gradients", "lr": "learning rate", "num": "number of"}


def clean(text: str) -> str:
    """``text`` with all that could steer a terminal (escapes, controls, bidirectional marks) made visible."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c == "\u00a0" else _visible(c) for c in text)


def _visible(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def shorten(text: str, limit: int) -> str:
    """``text`` with its middle left out if it is longer than ``limit``."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def number(value: float | None) -> str:
    """A number as a person writes it: three figures, thousands separated."""
    if value is None:
        return "none"
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value) or value == 0:
        return str(value) if value else "0"
    if abs(value) >= 1e5 or abs(value) < 1e-3:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def percent(share: float) -> str:
    """A share between 0 and 1 as percent, never rounded to nothing or to all."""
    if not math.isfinite(share):
        return str(share)
    if share <= 0 or share >= 1:
        return f"{share * 100:.0f}%"
    if share < 0.001:
        return "<0.1%"
    if share > 0.995:
        return ">99%"
    return f"{share * 100:.0f}%" if share >= 0.1 else f"{share * 100:.1f}%"


def count(n: int, one: str, many: str = "") -> str:
    """``1 parameter``, ``12 parameters``."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def ordinal(n: int) -> str:
    """``1st``, ``2nd``, ``13th``."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{number(n)}{ending}"


def is_are(n: int) -> str:
    """The verb for ``n`` things."""
    return "is" if n == 1 else "are"


def fold(names: Collection[str]) -> list[str]:
    """Parameter names as a few lines: all if they are few, else by the part of the model they lie in."""
    if len(names) <= _FEW:
        return [", ".join(short_name(name) for name in names)] if names else []
    lines = []
    for prefix, members in _by_prefix(names).items():
        shown = ", ".join(short_name(name) for name in members[:_SHOWN])
        more = f" and {number(len(members) - _SHOWN)} more" if len(members) > _SHOWN else ""
        lines.append(
            f"{number(len(members))} in {short_name(prefix)}: {shown}{more}" if prefix else f"{shown}{more}"
        )
    return lines


def _by_prefix(names: Collection[str]) -> dict[str, list[str]]:
    """Group by the first part of the dotted name after what all have in common; one group if that gives many."""
    split = [name.split(".") for name in names]
    depth = 0
    shortest = min(len(parts) for parts in split) - 1
    while depth < shortest and len({parts[depth] for parts in split}) == 1:
        depth += 1
    groups: dict[str, list[str]] = {}
    for name, parts in zip(names, split, strict=True):
        groups.setdefault(".".join(parts[: depth + 1]) if len(parts) > depth + 1 else "", []).append(name)
    if 1 < len(groups) <= min(_GROUPS, len(split) // 2):
        return groups
    return {".".join(split[0][:depth]): list(names)}


def short_name(name: str) -> str:
    """A parameter's name, safe to print and of bearable length."""
    return shorten(clean(shorten(name, 400)), 72)


def evidence(facts: dict[str, Any]) -> list[str]:
    """The numbers observed, one phrase each: ``gradient norm: none``."""
    return [f"{_key(key)}: {plain(value)}" for key, value in facts.items()]


def _key(key: str) -> str:
    words = clean(shorten(key, 72)).replace("_", " ").replace("-", " ").split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


def plain(value: Any, depth: int = 0) -> str:
    """Any value of the evidence in words; long lists by their ends."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, dict) and depth < 2:
        return (
            ", ".join(f"{_key(str(k))} {plain(v, depth + 1)}" for k, v in list(value.items())[:6]) or "none"
        )
    if isinstance(value, (list, tuple)) and depth < 2:
        items = [plain(item, depth + 1) for item in (value if len(value) <= 6 else [*value[:3], *value[-2:]])]
        if len(value) > 6:
            items.insert(3, "…")
        return ", ".join(items) or "none"
    return shorten(clean(str(value)), 200)
