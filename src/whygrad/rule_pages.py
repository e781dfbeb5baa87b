"""The documentation of a rule: the docstring of its module. What ``whygrad explain`` shows is what SARIF carries."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

#: A rule that judges runs, one that reads source, and an alarm of the monitor share the slug where they mean the same; the
#: first one has the page.
_PACKAGES = ("whygrad.rules", "whygrad.lint.rules", "whygrad.monitor.alarms")


def page(module: ModuleType) -> str:
    """A rule's documentation."""
    return inspect.cleandoc(module.__doc__ or "This rule has no documentation.")


def summary(module: ModuleType) -> str:
    """Its first sentence."""
    return page(module).splitlines()[0].lstrip("# ")


def section(text: str, title: str) -> str:
    """What stands under one of the headings of a page; empty where there is no such heading."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return match[1].strip() if match else ""


def in_source(slug: str) -> bool:
    """Whether ``whygrad lint`` has a rule of this name: it looks for the same mechanism in the source."""
    return slug in _names(_PACKAGES[1])


def in_source_only() -> list[str]:
    """The rules of ``whygrad lint`` for which there is no rule that judges runs."""
    return sorted(_names(_PACKAGES[1]) - _names(_PACKAGES[0]))


def _names(package: str) -> set[str]:
    found = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return {info.name.replace("_", "-") for info in found if not info.name.startswith("_")}


def module_of(slug: str) -> ModuleType | None:
    """The module of a rule; None if this whygrad has none of that name (a record of another version, say)."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug):
        return None
    for package in _PACKAGES:
        try:
            return importlib.import_module(f"{package}.{slug.replace('-', '_')}")
        except Exception:  # noqa: S112  (a rule that cannot be loaded is told of where it should have run)
            continue
    return None
