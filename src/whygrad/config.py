"""The section ``[tool.whygrad]`` of ``pyproject.toml``, found from the working directory upward."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from whygrad.errors import UsageError, suggestion

FailOn = Literal["error", "warning", "never"]
FILE = "pyproject.toml"


@dataclass(frozen=True)
class LintConfig:
    """``[tool.whygrad.lint]``: the rules of ``whygrad lint``, and the files that it leaves out."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """What the section says; None or empty where it says nothing. ``source`` is the file, for messages."""

    source: Path | None = None
    steps: int | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    format: str | None = None
    lint: LintConfig = LintConfig()


def load(start: Path) -> Config:
    """The settings that hold for ``start``. Raises UsageError for an unknown key or a wrong value."""
    for directory in (start, *start.parents):
        file = directory / FILE
        section = _section(file)
        if section is not None:
            return _checked(file, section)
    return Config()


def _section(file: Path) -> Mapping[str, Any] | None:
    """``[tool.whygrad]`` of one file; None if there is none."""
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}); mend it, or run whygrad elsewhere.") from error
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        tools = toml.loads(text).get("tool", {})
    except ValueError as error:  # a TOMLDecodeError
        raise UsageError(f"{file} is not valid TOML: {error}; mend it, or run whygrad elsewhere.") from error
    section = tools.get("whygrad") if isinstance(tools, dict) else None
    if section is not None and not isinstance(section, dict):
        raise UsageError(f"{file}: tool.whygrad is {section!r}; it must be a table, [tool.whygrad].")
    return section


def _checked(file: Path, section: Mapping[str, Any]) -> Config:
    plain = {key: value for key, value in section.items() if key != "lint"}
    lint = section.get("lint", {})
    if not isinstance(lint, dict):
        raise UsageError(f"{file}: tool.whygrad.lint is {lint!r}; it must be a table, [tool.whygrad.lint].")
    values = _values(file, "tool.whygrad", plain, _KEYS)
    return Config(
        source=file, **values, lint=LintConfig(**_values(file, "tool.whygrad.lint", lint, _LINT_KEYS))
    )


def _values(file: Path, name: str, section: Mapping[str, Any], keys: _Keys) -> dict[str, Any]:
    """The values of a section, each checked."""
    values: dict[str, Any] = {}
    for key, value in section.items():
        if key not in keys:
            hint = suggestion(key, keys) or f"; the settings are {', '.join(keys)}."
            raise UsageError(f"{file}: [{name}] has no setting {key!r}{hint}")
        wanted, right = keys[key]
        if not right(value):
            raise UsageError(f"{file}: {key} in [{name}] is {value!r}; it must be {wanted}.")
        values[key.replace("-", "_")] = tuple(value) if isinstance(value, list) else value
    return values


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_Keys = Mapping[str, tuple[str, Callable[[object], bool]]]
#: Every setting: what it must be, in words, and whether a value is that.
_KEYS: _Keys = {
    "steps": ("a whole number of 1 or more", _is_count),
    "select": ('a list of rules, like ["detached-path"]', _is_names),
    "ignore": ('a list of rules, like ["detached-path"]', _is_names),
    "fail-on": (
        " or ".join(f'"{word}"' for word in get_args(FailOn)),
        lambda value: value in cast("tuple[object, ...]", get_args(FailOn)),
    ),
    "format": ('the name of a format, like "terminal" or "json"', lambda value: isinstance(value, str)),
}
_LINT_KEYS: _Keys = {
    "select": ('a list of rules, like ["rebuilt-tensor"]', _is_names),
    "ignore": ('a list of rules, like ["rebuilt-tensor"]', _is_names),
    "exclude": ('a list of files and folders, like ["legacy", "src/*_pb2.py"]', _is_names),
}
