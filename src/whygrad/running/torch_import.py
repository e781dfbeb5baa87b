"""Notices when the script has imported torch, and not earlier.

Scripts set ``OMP_NUM_THREADS`` or ``CUDA_VISIBLE_DEVICES`` before their ``import torch``; so torch must not be
imported for them. A finder in front of the others lets the real one look torch up, and the loader that it found
calls back once torch has been executed. Afterwards nothing of ours is left behind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

NAME = "torch"


class TorchImport:
    """A finder for ``sys.meta_path`` that calls ``imported`` once, right after torch was first executed."""

    def __init__(self, imported: Callable[[], None]) -> None:
        self._imported = imported
        self._done = False
        #: What went wrong in ``imported``, for the report; the script never sees it.
        self.problem = ""

    def install(self) -> None:
        """Begin to wait for the import; call at once if torch is already there."""
        if NAME in sys.modules:
            self._call()
        else:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Stop waiting. May be called at any time and more than once."""
        # by identity: a finder may have an __eq__ of its own
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Let the other finders find torch, and hook the loader. None for every other module."""
        if name != NAME or self._done:
            return None
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find else None
            if spec is not None:
                self._hook(spec.loader)
                return spec
        return None

    def _hook(self, loader: object) -> None:
        """Shadow ``exec_module`` on this one loader; it takes itself away when it is called."""
        # Not every spec that is found is executed (`find_spec("torch")` is a common question), so the finder stays
        # until one is.
        execute: Callable[[ModuleType], None] | None = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: ModuleType) -> None:
            vars(loader).pop("exec_module", None)
            execute(module)
            self._call()

        try:
            setattr(loader, "exec_module", exec_module)  # noqa: B010
        except AttributeError:
            self.problem = f"torch was loaded by {type(loader).__name__}, which cannot be watched."

    def _call(self) -> None:
        if self._done:
            return
        self._done = True
        self.remove()
        try:
            self._imported()
        except Exception as error:  # whatever it is, the script goes on
            self.problem = f"Watching could not begin ({type(error).__name__}: {error})."
