"""Imports that the program does not notice: rich draws from Python's own random generator when it is first imported."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


def load(name: str) -> ModuleType:
    """The module of that name; Python's random state is afterwards what it was."""
    known = sys.modules.get(name)
    if known is not None:
        return known
    generator: Any = sys.modules.get("random")
    state = generator.getstate() if generator is not None else None
    try:
        return importlib.import_module(name)
    finally:
        if generator is not None:
            generator.setstate(state)
