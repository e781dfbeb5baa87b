"""``%load_ext whygrad``: the magics ``%%whygrad`` and ``%whygrad`` for notebooks and IPython."""

from __future__ import annotations

import ast
import linecache
import re
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from whygrad.diagnose import diagnose
from whygrad.finding import Report
from whygrad.notebooks.cells import live_cell
from whygrad.observe.session import Session
from whygrad.running import tracebacks
from whygrad.running.streams import say
from whygrad.running.torch_import import TorchImport
from whygrad.saved import records
from whygrad.suppression import suppress
from whygrad.trace import Trace

_STEPS = 10


def load(shell: InteractiveShell) -> None:
    """Make the magics known to a shell."""
    shell.register_magics(WhygradMagics(shell))


@magics_class
class WhygradMagics(Magics):
    """Both magics; it keeps the last report."""

    last: Report | None = None

    @magic_arguments("%whygrad")
    @argument("--steps", type=int, help=f"Optimizer steps to observe; then the cell is ended [{_STEPS}].")
    @line_cell_magic
    def whygrad(self, line: str, cell: str | None = None) -> Report | None:
        """``%%whygrad [--steps N]`` runs the cell under observation and shows the report: which parameters do not train,
        and why. ``%whygrad`` gives the last report again."""
        steps: int | None = parse_argstring(self.whygrad, line).steps
        if cell is None:
            if self.last is None:
                say("there is no report yet; put %%whygrad on top of the cell that trains.", sys.stdout)
            return self.last
        if steps is not None and steps < 1:
            say(f"--steps is {steps}: there would be nothing to observe; give 1 or more.", sys.stdout)
            return None
        assert self.shell is not None
        run = _Run(self.shell, line, cell, steps or _STEPS)
        try:
            run.execute()
        finally:
            self.last = run.show() or self.last
        return None


class _Run:
    """One cell under observation."""

    def __init__(self, shell: InteractiveShell, line: str, cell: str, steps: int) -> None:
        self._shell, self._steps = shell, steps
        number = _prompt_number(shell)
        # the line of the magic, so that the lines below it have the numbers that the editor shows
        lead = "" if cell.lstrip().startswith("%%") else f"# %%whygrad {line}\n"
        self._source = shell.transform_cell(lead + cell)
        self._file = shell.compile.cache(self._source, number, raw_code=lead + cell)
        self._name = live_cell(f"In[{number}]")
        self._session = Session(self._name, (), steps, lambda: None, lambda trace: None)
        self._error: BaseException | None = None
        self._began = False
        self._seconds = 0.0

    def execute(self) -> None:
        """Run the cell in the user's namespace. What it raises is raised, unless the cell was being ended."""
        tree = self._shell.transform_ast(self._shell.compile.ast_parse(self._source, self._file))
        shown = tree.body[-1:] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
        parts: list[tuple[ast.AST, str]] = [
            (ast.Module(tree.body[: len(tree.body) - len(shown)], []), "exec")
        ]
        # as IPython does it: what the last line gives is displayed
        parts += [(ast.Interactive([line]), "single") for line in shown]
        compiler: Any = self._shell.compile  # it takes a tree as well, whatever its annotation says
        codes = [compiler(part, self._file, mode) for part, mode in parts]
        hook = TorchImport(self._session.attach)
        begin = time.perf_counter()
        self._began = True
        hook.install()
        try:
            for code in codes:
                exec(code, self._shell.user_global_ns, self._shell.user_ns)  # noqa: S102  (the user's cell)
        except BaseException as error:
            if self._session.closed:
                return
            self._error = error
            self._hide_ours(error)
            raise
        finally:
            hook.remove()
            self._session.detach()
            self._seconds = time.perf_counter() - begin

    def show(self) -> Report | None:
        """Show what was seen, if the cell was run at all. whygrad's own error stays a sentence."""
        try:
            return self._show() if self._began else None
        except Exception as error:
            say(f"whygrad failed ({type(error).__name__}: {error}); the cell is not affected.", sys.stdout)
            return None

    def _show(self) -> Report | None:
        ended = "steps" if self._session.closed else "end" if self._error is None else "raised"
        if isinstance(self._error, (KeyboardInterrupt, SystemExit)):
            ended = "interrupted" if isinstance(self._error, KeyboardInterrupt) else "exit"
        trace = self._session.trace(
            ended, self._error, int(ended in ("raised", "interrupted")), self._seconds
        )
        trace = self._renamed(trace)
        report = suppress(diagnose(trace), trace.cwd)
        if self._session.closed:
            say(
                f"the cell was ended after {self._steps} optimizer steps; its variables are as they were then. "
                "Run it without %%whygrad to train on.",
                sys.stdout,
            )
        elif not (trace.backwards or trace.step_count() or report.loud()):
            why = "made no backward pass and no optimizer step, so there is nothing to report"
            say(trace.problems[0] if trace.problems else f"{self._name} {why}.", sys.stdout)
            return None
        keeper = records.Keeper(records.new_path(self._name, str(Path.cwd())))
        keeper.save(trace)
        if keeper.problem:
            say(keeper.problem, sys.stdout)
        display(report)
        return report

    def _renamed(self, trace: Trace) -> Trace:
        """Files that IPython has made up for cells get the names of the cells, and so do the lines that it keeps."""
        names: dict[str, str] = {}
        for file in {frame.file for frame in trace.frames}:
            for path in (file, str(Path(trace.cwd, file))):
                label = self._shell.compile.format_code_name(path)
                if label is not None:
                    names[file] = name = live_cell(label[1])
                    linecache.cache[name] = (0, None, linecache.getlines(path), name)
        frames = tuple(
            msgspec.structs.replace(frame, file=names.get(frame.file, frame.file)) for frame in trace.frames
        )
        return msgspec.structs.replace(trace, frames=frames)

    def _hide_ours(self, error: BaseException) -> None:
        """Let IPython show the error as if the cell had been run by itself."""
        tracebacks.clean(error)
        shell, traceback = self._shell, error.__traceback__

        def lines() -> list[str]:
            return shell.InteractiveTB.structured_traceback(type(error), error, traceback, tb_offset=0)

        error._render_traceback_ = lines  # type: ignore[attr-defined]


def _prompt_number(shell: InteractiveShell) -> int:
    """The number of the cell that is being run: that of the innermost frame that IPython knows as a cell."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        label = shell.compile.format_code_name(frame.f_code.co_filename)
        if label is not None:
            return int(re.sub(r"\D", "", label[1]))
    return shell.execution_count
