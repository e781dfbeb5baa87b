"""What a proof run may not do: write the user's files, or talk to the network.

Files that the script opens for writing are redirected into a temporary folder (it reads back what it wrote there). What
can't be redirected is not done at all: an audit hook ends the proof run before the file is touched.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

#: Exit status of a proof run that was ended because it would have written or connected.
REFUSED = 97
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.chown", "os.mkdir",
    "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree", "sqlite3.connect",
}  # fmt: skip
_NETWORK = {"socket.connect", "socket.sendto", "urllib.Request"}


class Files(Protocol):
    """Who is told of the files that torch writes without Python's ``open`` (see ``observe.session``)."""

    def place(self, path: Any, writes: bool) -> Any:
        """Where a path that is about to be written (or read) leads."""


class Watcher:
    """Notes, during the first run, what the script writes and whom it talks to."""

    def __init__(self, own: str) -> None:
        self._own = own  # whygrad's records are not the script's doing
        self._home = str(Path.cwd())
        self.files: dict[str, None] = {}
        self.hosts: dict[str, None] = {}
        self.active = True

    def install(self) -> None:
        """Listen to Python's audit events (a hook can't be taken off again: it falls silent with ``active``)."""
        tempfile.gettempdir()  # it tries the folder by opening a file: once, before anyone listens
        sys.addaudithook(self._heard)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.active:
            return
        path = written(event, args)
        if path and not harmless(path, self._home) and not path.startswith(self._own):
            self.files.setdefault(path)
        elif event in _NETWORK and not _local(args):
            self.hosts.setdefault(str(args[1] if len(args) > 1 else args[0]))

    def place(self, path: Any, writes: bool) -> Any:
        """The path itself; noted, if it is written."""
        if writes and isinstance(path, (str, os.PathLike)) and not harmless(os.fspath(path), self._home):
            self.files.setdefault(os.fspath(path))
        return path

    def sentence(self) -> str:
        """What was opened, in one sentence; empty if nothing was."""
        parts = []
        if self.files:
            parts.append("writes " + _listed(list(self.files)))
        if self.hosts:
            parts.append("connects to " + _listed(list(self.hosts)))
        return f"the script {' and '.join(parts)}" if parts else ""


def written(event: str, args: tuple[Any, ...]) -> str:
    """The path that an audit event is about to write or change; empty if it does neither."""
    if event == "open":
        path, mode, flags = (*args, None, None)[:3]
        writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITING)
        return os.fsdecode(path) if writes and isinstance(path, (str, bytes, os.PathLike)) else ""
    if event in _CHANGES and args and isinstance(args[0], (str, bytes, os.PathLike)):
        return os.fsdecode(args[0])
    return ""


def harmless(path: str, home: str) -> bool:
    """Temporary files, devices and Python's own caches are nobody's work; what lies below ``home`` is, wherever that is."""
    full = os.path.abspath(path)  # noqa: PTH100  # must not resolve: it is called for every file
    if "__pycache__" in full:
        return True
    if full.startswith(home + os.sep):
        return False
    own = (tempfile.gettempdir(), "/dev", "/proc", "/sys", os.devnull)
    return full.startswith(tuple(p + os.sep for p in own)) or full in own


def _local(args: tuple[Any, ...]) -> bool:
    address = args[1] if len(args) > 1 else ""
    host = address[0] if isinstance(address, tuple) and address else address
    return isinstance(host, (str, bytes)) and (
        os.fsdecode(host) in ("localhost", "::1") or os.fsdecode(host).startswith(("127.", "/"))
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


class Sandbox:
    """Installed in the process of a proof run, for all of its life."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="whygrad-proof-"))
        self._home = str(Path.cwd())
        self._moved: dict[str, str] = {}
        self._active = True

    def install(self) -> None:
        """Redirect what can be redirected, refuse the rest."""
        builtins.open = self._redirecting(builtins.open)
        io.open = self._redirecting(io.open)
        os.mkdir = self._making(os.mkdir)
        sys.addaudithook(self._refuse)

    def remove(self) -> None:
        """Delete what the run wrote."""
        self._active = False  # the audit hook stays, and would refuse this too
        shutil.rmtree(self._folder, ignore_errors=True)

    def place(self, path: Any, writes: bool) -> Any:
        """Where a path of the script's leads in the sandbox."""
        if (
            isinstance(path, int)
            or not isinstance(path, (str, bytes, os.PathLike))
            or harmless(os.fsdecode(path), self._home)
        ):
            return path
        full = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
        if writes and full not in self._moved:
            copy = self._folder / f"{len(self._moved)}-{Path(full).name}"
            self._moved[full] = str(copy)
        return self._moved.get(full, path)

    def _redirecting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def redirected(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            writes = isinstance(mode, str) and any(c in mode for c in "wax+")
            return original(self.place(file, writes), mode, *args, **kwargs)

        return redirected

    def _making(self, original: Callable[..., None]) -> Callable[..., None]:
        def mkdir(path: Any, *args: Any, **kwargs: Any) -> None:
            """A user's folder is only imagined: the files in it are redirected one by one."""
            if harmless(os.fsdecode(path), self._home):
                original(path, *args, **kwargs)

        return mkdir

    def _refuse(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._active:
            return
        path = written(event, args)
        refused = bool(path) and not harmless(path, self._home)
        if refused or (event in _NETWORK and not _local(args)):
            sys.stderr.write(f"whygrad-refused: {path or args[-1]}\n")
            sys.stderr.flush()
            os._exit(REFUSED)
