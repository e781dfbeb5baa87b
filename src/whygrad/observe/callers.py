"""Which of torch's modules called a function: the user's own line is the same for every layer of a ``Sequential``."""

from __future__ import annotations

import weakref
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from whygrad.observe.frames import Stacks

_MODULES = str(Path("torch", "nn", "modules", "x"))[:-1]
_PLAIN = (bool, int, float, str)


class Caller:
    """A module that has called something, held weakly. ``options`` are its plain attributes at the first call."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.ref = weakref.ref(module)
        self.kind = type(module).__name__
        self.options = {
            name: str(value)
            for name, value in module.__dict__.items()
            if type(value) in _PLAIN and not name.startswith("_") and name != "training"
        }


class Callers:
    """The modules that have called something, in order of their first call."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        self._codes: dict[int, tuple[int, CodeType]] = {}
        self._numbers: dict[int, int] = {}
        self.entries: list[Caller] = []

    def here(self, frame: FrameType | None) -> int:
        """The number of the innermost module of torch's between ``frame`` and the user's code; -1 if there is none."""
        while frame is not None:
            code = frame.f_code
            known = self._codes.get(id(code))
            if known is None:
                known = self._codes[id(code)] = (self._classify(code), code)
            if known[0] < 0:
                return -1
            if known[0]:
                module = frame.f_locals.get("self")
                return self.number(module) if issubclass(type(module), torch.nn.Module) else -1
            frame = frame.f_back
        return -1

    def number(self, module: Any) -> int:
        """The number of a module, given on first use."""
        number = self._numbers.get(id(module), -1)
        if number < 0 or self.entries[number].ref() is not module:
            number = self._numbers[id(module)] = len(self.entries)
            self.entries.append(Caller(module))
        return number

    def _classify(self, code: CodeType) -> int:
        """1 for the forward of one of torch's modules, -1 for code of others, 0 for what lies between."""
        if self._stacks.skips(code):
            return int(code.co_name == "forward" and _MODULES in code.co_filename)
        return -1
