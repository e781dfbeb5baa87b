"""Finds what a target names and runs it as ``__main__``, the way the interpreter itself does.

Compare ``pymain_run_python`` in CPython's ``Modules/main.c``, which this follows step by step.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import linecache
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Literal

from whygrad.errors import UsageError, suggestion
from whygrad.notebooks import notebook_run
from whygrad.notebooks.notebook import Cell


@dataclass(frozen=True)
class Target:
    """What to run: the ``name`` of a script, notebook or module, or the code itself; and its arguments."""

    kind: Literal["script", "module", "code"]
    name: str
    args: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name for reports and messages."""
        return {"script": self.name, "module": f"-m {self.name}", "code": "-c"}[self.kind]


def prepare(target: Target) -> Callable[[], None]:
    """Look the target up, changing nothing yet; calling the result runs it. Raises UsageError if it is not there.

    An error in the source itself, a syntax error for one, is the script's own: it is raised by the call."""
    if target.kind == "module":
        return partial(_run_module, target)
    if target.kind == "code":
        return partial(_run_code, target)
    # not normalised: Python shows this very path in tracebacks and in __file__
    path = os.path.join(os.getcwd(), target.name)  # noqa: PTH118, PTH109
    # a folder or a zip file with a __main__.py in it can be run too
    importer = pkgutil.get_importer(path)
    if importer is None:
        source = _read(target.name)
        if target.name.endswith(".ipynb"):
            cells = notebook_run.checked(target.name, source)
            return partial(_run_notebook, target, os.path.realpath(path), cells)
        return partial(_run_script, target, path, source)
    if importer.find_spec("__main__") is None:
        reason = "it is a folder without a __main__.py" if Path(path).is_dir() else "it has no __main__.py"
        raise UsageError(f"{target.name!r} cannot be run: {reason}; give the script that trains.")
    return partial(_run_container, target, path)


def _read(name: str) -> bytes:
    """The source of a script, as bytes: it may declare its own encoding."""
    if name == "-":
        raise UsageError(
            "'-' (a script on standard input) cannot be run; save the script to a file and give that."
        )
    try:
        with io.open_code(str(Path(name).absolute())) as file:
            return file.read()
    except FileNotFoundError as error:
        close = (
            suggestion(Path(name).name, _neighbours(name)) or "; check its name and the folder you are in."
        )
        raise UsageError(f"There is no file {name!r} in {Path.cwd()}{close}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{name!r} cannot be read: {reason}; give a script that you may read.") from error


def _neighbours(name: str) -> list[str]:
    """The files beside a script that was not found."""
    try:
        return sorted(entry.name for entry in Path(name).absolute().parent.iterdir())
    except OSError:
        return []


def _run_script(target: Target, path: str, source: bytes) -> None:
    main = _fresh_main()
    compiled = source.startswith(importlib.util.MAGIC_NUMBER)
    kind = importlib.machinery.SourcelessFileLoader if compiled else importlib.machinery.SourceFileLoader
    main.__dict__.update(__loader__=kind("__main__", path), __file__=path, __cached__=None)
    sys.argv[:] = [target.name, *target.args]
    _set_first_path(os.path.dirname(os.path.realpath(path)))  # noqa: PTH120
    code = pkgutil.read_code(io.BytesIO(source)) if compiled else None
    try:
        _execute(code or compile(source, path, "exec", dont_inherit=True), main)
    finally:
        _flush()


def _run_notebook(target: Target, path: str, cells: list[Cell]) -> None:
    main = _fresh_main()
    sys.argv[:] = [target.name, *target.args]
    _set_first_path(os.path.dirname(path))  # noqa: PTH120
    try:
        notebook_run.run(target.name, path, cells, main.__dict__)
    finally:
        _flush()


def _run_code(target: Target) -> None:
    main = _fresh_main()
    main.__dict__["__loader__"] = importlib.machinery.BuiltinImporter
    sys.argv[:] = ["-c", *target.args]
    _set_first_path("")
    if sys.version_info >= (3, 13):  # from here on tracebacks show the source of -c too
        lines = [line + "\n" for line in target.name.splitlines()]
        linecache.cache["<string>"] = (len(target.name), None, lines, "<string>")
    _execute(compile(target.name, "<string>", "exec", dont_inherit=True), main)


def _run_module(target: Target) -> None:
    _fresh_main()
    sys.argv[:] = ["-m", *target.args]
    _set_first_path(os.getcwd())  # noqa: PTH109
    # the interpreter's own implementation of -m, so that __spec__ and tracebacks come out the same
    runpy._run_module_as_main(target.name)  # type: ignore[attr-defined]


def _run_container(target: Target, path: str) -> None:
    _fresh_main()
    sys.argv[:] = [target.name, *target.args]
    _set_first_path(path)
    runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]


def module_problem(target: Target, error: BaseException) -> UsageError | None:
    """What to say if runpy could not find the module; None for any other error, which is the module's own."""
    reason = error.__context__
    if not isinstance(error, SystemExit) or not isinstance(reason, runpy._Error):  # type: ignore[attr-defined]
        return None
    return UsageError(
        f"The module {target.name!r} cannot be run: {str(reason).rstrip('.')}. "
        f"Check its name, and that it is installed or lies below {Path.cwd()}."
    )


def _execute(code: CodeType, main: ModuleType) -> None:
    exec(code, main.__dict__)  # noqa: S102  (running the user's script is what this is for)


def _flush() -> None:
    """Bring out what a script has printed before anything is said about how it ended, as the interpreter does."""
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # there is none, a closed pipe, a closed file
            pass


def _fresh_main() -> ModuleType:
    """A ``__main__`` as new as the interpreter's: classes defined in it can be pickled, children can re-import it."""
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    return main


def _set_first_path(first: str) -> None:
    """Put the script's folder where the interpreter had put that of whygrad's own start-up script."""
    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        return
    sys.path[:1] = [first]
