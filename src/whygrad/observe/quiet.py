"""A silence for whygrad's own arithmetic: nobody else hears of it, and it leaves no trace in autograd."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

_functions = torch._C.DisableTorchFunction
_dispatch_modes = torch._C._len_torch_dispatch_stack


class Unheard:
    """Within it no function mode, no dispatch mode and no tensor subclass hears of a call (the user's count or print
    what they hear). For one use."""

    __slots__ = ("_dispatch", "_functions")

    def __enter__(self) -> None:
        self._functions: Any = _functions()
        self._functions.__enter__()
        self._dispatch: Any = _disable_current_modes() if _dispatch_modes() else None
        if self._dispatch is not None:
            self._dispatch.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._dispatch is not None:
            self._dispatch.__exit__(None, None, None)
        self._functions.__exit__(None, None, None)


class Quiet(Unheard):
    """And no history is recorded either."""

    __slots__ = ("_grad",)

    def __enter__(self) -> None:
        super().__enter__()
        self._grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        torch._C._set_grad_enabled(self._grad)
        super().__exit__(kind, error, traceback)
