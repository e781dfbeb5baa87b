"""Where in the user's source something happened: stacks of user frames, captured cheaply and interned.

A frame costs a dictionary look-up once its code object is known; nothing is read from disk while the
script runs. Frames of torch, whygrad and the standard library are left out; frames of other installed
packages stand in only where there is no user frame at all.
"""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
import tokenize
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from whygrad import trace as t
from whygrad.home import RESOLVED

_SKIP, _USER, _LIBRARY, _RUNNER = (
    0,
    1,
    2,
    3,
)  #: the last: what runs a script; beyond it is nothing of the user's
#: Code without a file of its own: handed to exec, typed at a prompt, a cell of a notebook, an example of a page.
_TYPED = ("<string>", "<stdin>", "<console>", "<ipython-input", "<doctest")
_DEPTH = 8  #: user frames kept of a stack: enough for a helper called from a constructor called from a script


class Stacks:
    """Interned user stacks. ``here`` is the only call made while the script runs."""

    def __init__(self, torch_folder: str) -> None:
        paths = sysconfig.get_paths()
        self._skip = tuple({torch_folder, RESOLVED, paths["stdlib"], paths["platstdlib"]})
        self._runner = str(Path(RESOLVED, "running", "program.py"))
        self._code: dict[int, tuple[int, CodeType]] = {}
        self._frames: dict[tuple[int, int], int] = {}
        self._expressions: dict[tuple[int, tuple[int, ...]], int] = {}
        self._places: list[tuple[CodeType, int]] = []
        self._stacks: dict[tuple[int, ...], int] = {}
        self._read: dict[tuple[str, int, str], int] = {}
        self.trees = Trees()
        self._statements = _Statements(self.trees)
        self.stacks: list[tuple[int, ...]] = []

    def here(self, frame: FrameType | None = None) -> int:
        """The index of the present user stack (innermost first); -1 if there is no user frame at all."""
        frame = frame or sys._getframe(1)
        kept: list[int] = []
        spare: list[int] = []
        codes, frames = self._code, self._frames
        while frame is not None:
            code = frame.f_code
            known = codes.get(id(code))
            if known is None:
                known = codes[id(code)] = (self._classify(code), code)
            kind = known[0]
            if kind:
                if kind == _RUNNER:
                    break
                key = (id(code), frame.f_lasti)
                index = frames.get(key)
                if index is None:
                    index = self._add(key, code, frame.f_lineno)
                if kind == _USER:
                    kept.append(index)
                    if len(kept) == _DEPTH:
                        break
                elif len(spare) < _DEPTH:
                    spare.append(index)
            frame = frame.f_back
        return self.intern(tuple(kept or spare))

    def intern(self, stack: tuple[int, ...]) -> int:
        """The index of ``stack``, -1 for an empty one."""
        if not stack:
            return -1
        index = self._stacks.get(stack)
        if index is None:
            index = self._stacks[stack] = len(self.stacks)
            self.stacks.append(stack)
        return index

    def same_construction(self, one: int, other: int) -> bool:
        """Whether two stacks lie in one call of the same constructor, or are the same."""
        if one == other or min(one, other) < 0:
            return True
        first, second = self.stacks[one], self.stacks[other]
        for i, a in enumerate(first):
            code = self.code_of(a)
            if code.co_name == "__init__":
                for j, b in enumerate(second):
                    if self.code_of(b) is code and _alike(first[i + 1 :], second[j + 1 :]):
                        return True
        return False

    def in_constructor(self, stack: int) -> bool:
        """Whether a stack's innermost place lies in a constructor."""
        return stack >= 0 and self.code_of(self.stacks[stack][0]).co_name == "__init__"

    def made_inside(self, made: int, placed: int, level: int = 0) -> bool:
        """Whether something was made by the very call that put it in its place (the one at ``level`` of that stack),
        or below it."""
        if min(made, placed) < 0:
            return True
        first, second = self.stacks[made], self.stacks[placed]
        code = self.code_of(second[level])
        return any(
            self.code_of(a) is code and _alike(first[i + 1 :], second[level + 1 :])
            for i, a in enumerate(first)
        )

    def code_frame(self, code: CodeType) -> int:
        """A frame for the first line of a function (its decorator, if it has one)."""
        self._code.setdefault(id(code), (self._classify(code), code))
        key = (id(code), -1)
        index = self._frames.get(key)
        return self._add(key, code, code.co_firstlineno) if index is None else index

    def place(self, file: str, line: int, function: str) -> int:
        """A frame for a place known from the source rather than from a running frame."""
        key = (file, line, function)
        if key not in self._read:
            code = compile("", file, "exec").replace(co_name=function or "<module>")
            self._code[id(code)] = (_USER, code)
            self._read[key] = self._add((id(code), line), code, line)
        return self._read[key]

    def at(self, code: CodeType, lasti: int, line: int) -> int:
        """The frame of a traceback's entry; -1 for code that is not the user's."""
        if not self.is_user(code):
            return -1
        self._code.setdefault(id(code), (_USER, code))
        index = self._frames.get((id(code), lasti))
        return self._add((id(code), lasti), code, line) if index is None else index

    def place_of(self, frame: int) -> tuple[CodeType, int]:
        """Code object and line of a frame."""
        return self._places[frame]

    def code_of(self, frame: int) -> CodeType:
        """Code object of a frame."""
        return self._places[frame][0]

    def user_files(self) -> list[str]:
        """Files of the user's that were seen in any stack."""
        return sorted({code.co_filename for kind, code in self._code.values() if kind == _USER})

    def is_user(self, code: CodeType) -> bool:
        """Whether ``code`` is the user's own."""
        known = self._code.get(id(code))
        return (known[0] if known else self._classify(code)) == _USER

    def skips(self, code: CodeType) -> bool:
        """Whether ``code`` is torch's, whygrad's or the standard library's."""
        known = self._code.get(id(code))
        return (known[0] if known else self._classify(code)) in (_SKIP, _RUNNER)

    def _add(self, key: tuple[int, int], code: CodeType, line: int | None) -> int:
        # one call may stand at two instructions (CPython 3.11 has PRECALL and CALL, and shows one or the other)
        expression = _expression(code, key[1])
        if expression is not None:
            index = self._expressions.setdefault((key[0], expression), len(self._places))
            if index < len(self._places):
                self._frames[key] = index
                return index
        index = self._frames[key] = len(self._places)
        self._places.append((code, line or code.co_firstlineno))
        return index

    def _classify(self, code: CodeType) -> int:
        file = code.co_filename
        if file == self._runner:
            return _RUNNER
        if file.startswith(("<frozen", "<__array_function__", "<attrs", "<torch")):
            return _SKIP
        if file.startswith("<"):
            generated = file.startswith("<string>") and code.co_name == "__init__"  # of a dataclass
            return _USER if file.startswith(_TYPED) and not generated else _SKIP
        if "site-packages" in file or "dist-packages" in file:
            return _SKIP if file.startswith(self._skip[:]) and self._is_torch_or_own(file) else _LIBRARY
        return _SKIP if file.startswith(self._skip) else _USER

    def _is_torch_or_own(self, file: str) -> bool:
        return any(file.startswith(p) for p in self._skip if "-packages" in p)

    def records(self, cwd: str) -> tuple[t.Frame, ...]:
        """Every frame with its source line, paths below ``cwd`` made relative to it."""
        return tuple([self.record(index, cwd) for index in range(len(self._places))])

    def record(self, frame: int, cwd: str) -> t.Frame:
        """The same of one frame."""
        code, line = self._places[frame]
        file, prefix = code.co_filename, cwd.rstrip("/") + "/"
        name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
        return t.Frame(
            file=file[len(prefix) :] if file.startswith(prefix) else file,
            line=line,
            function="" if name == "<module>" else name,
            code=linecache.getline(file, line).strip(),
            statement=self._statements.start(file, line),
            library=self._code[id(code)][0] == _LIBRARY,
        )


def _alike(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the outer parts of two stacks are the same, as far as both were kept."""
    common = min(len(one), len(other))
    return one[:common] == other[:common]


def _expression(code: CodeType, lasti: int) -> tuple[int, ...] | None:
    """Where the expression of an instruction stands: lines and columns; None where Python does not tell."""
    positions = getattr(code, "co_positions", None)
    if positions is None or lasti < 0 or not code.co_code:
        return None
    own: tuple[int | None, ...] = next(islice(positions(), lasti // 2, None), (None,))
    known = tuple([n for n in own if n is not None])
    return known if len(known) == len(own) else None


class _Statements:
    """First lines of statements, so that a place inside a call over many lines can name the assignment."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._starts: dict[str, dict[int, int]] = {}

    def start(self, file: str, line: int) -> int:
        if file not in self._starts:
            self._starts[file] = self._read(self._trees[file])
        return self._starts[file].get(line, line)

    @staticmethod
    def _read(tree: ast.Module | None) -> dict[int, int]:
        starts: dict[int, int] = {}
        if tree is None:
            return starts
        # ast.walk goes from outer to inner, so an inner statement overwrites the one around it
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    starts[line] = node.lineno
        return starts


class Trees(dict[str, "ast.Module | None"]):
    """Syntax trees of the user's files, each parsed when first asked for; None if it can't be read or parsed."""

    def __missing__(self, file: str) -> ast.Module | None:
        try:
            self[file] = ast.parse(_source(file))
        except (OSError, SyntaxError, ValueError, UnicodeDecodeError):
            self[file] = None
        return self[file]


def _source(file: str) -> str:
    """The text of a file as Python decodes it, or of a notebook's cell, which lies in no file of that name."""
    try:
        with tokenize.open(file) as source:
            return source.read()
    except OSError:
        if lines := linecache.getlines(file):
            return "".join(lines)
        raise
