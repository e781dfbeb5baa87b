"""``whygrad.edit()``: change parameters by hand, and be told if that broke something."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any, Generic, TypeVar

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from whygrad.api.reach import found_around
from whygrad.errors import UsageError

M = TypeVar("M", bound=torch.nn.Module)
_OWN = (__file__, torch.__file__.rpartition("__init__")[0])


class EditError(ValueError):
    """An edit of parameters by hand left one of them broken; the text names it, the line, and what to do."""


class Edit(AbstractContextManager[M], Generic[M]):
    """What :func:`edit` returns; entering it gives the module."""

    def __init__(self, module: M, optimizers: list[Any]) -> None:
        self._module = module
        self._optimizers = optimizers
        self._no_grad = torch.no_grad()
        self._lines = _Lines()
        self._before: dict[str, _Was] = {}
        self._storages: dict[str, set[str]] = {}

    def __enter__(self) -> M:
        named = dict(_named(self._module))
        self._before = {name: _Was(p, self._holders(p)) for name, p in named.items()}
        self._storages = _shared(named)
        self._no_grad.__enter__()
        self._lines.begin()
        return self._module

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lines.end()
        self._no_grad.__exit__(kind, error, traceback)
        if error is None:
            self._lines.block = _line(sys._getframe(1))
            faults = list(self._faults())
            if faults:
                raise EditError("\n".join(faults))

    def _holders(self, parameter: torch.Tensor) -> list[Any]:
        return [
            o for o in self._optimizers if any(p is parameter for g in o.param_groups for p in g["params"])
        ]

    def _faults(self) -> Iterator[str]:
        now = dict(_named(self._module))
        for name in self._before.keys() - now.keys():
            yield f"{name} is gone{self._lines.of(name)}; an edit must leave every parameter in its place."
        for name, parameter in now.items():
            was = self._before.get(name)
            where = self._lines.of(name, parameter)
            if was is None:
                yield f"{name} is new{where}; make it in the module's __init__, before the optimizer."
            elif was.parameter is not parameter:
                held = f", and {type(was.holders[0]).__name__} still holds the old one" if was.holders else ""
                yield f"{name} is another object now{where}{held}; write into it with copy_() instead."
            else:
                yield from self._changed(name, parameter, was, where)
        yield from self._newly_shared(now)

    def _changed(self, name: str, parameter: torch.Tensor, was: _Was, where: str) -> Iterator[str]:
        if parameter.requires_grad != was.requires_grad:
            word = "requires" if parameter.requires_grad else "no longer requires"
            yield f"{name} {word} grad{where}; freeze and unfreeze outside of edit()."
        if not parameter.is_leaf:
            yield f"{name} is no leaf any more{where}: it has a grad_fn; write into it under no_grad."
        if (parameter.shape, parameter.dtype, parameter.device) != was.form:
            yield (
                f"{name} had shape {tuple(was.form[0])}, {was.form[1]} on {was.form[2]} and has "
                f"{tuple(parameter.shape)}, {parameter.dtype} on {parameter.device} now{where}; "
                "use copy_(), which refuses another shape."
            )
        elif was.finite and not bool(torch.isfinite(parameter.detach()).all()):
            yield f"{name} is not finite any more{where}; look at what was written into it."
        if len(self._holders(parameter)) < len(was.holders):
            yield f"{name} is held by no optimizer any more{where}; leave its param_groups as they are."

    def _newly_shared(self, now: dict[str, torch.Tensor]) -> Iterator[str]:
        shared = _shared(now)
        told: set[str] = set()
        for name, others in shared.items():
            fresh = others - self._storages.get(name, set()) - told
            if fresh and name not in told:
                told |= {name, *fresh}
                where = self._lines.of(name, now[name]) or self._lines.of(min(fresh), now[min(fresh)])
                yield (
                    f"{name} shares its memory with {', '.join(sorted(fresh))} now{where}; "
                    "use copy_() instead of assigning .data."
                )


class _Was:
    """A parameter before the edit."""

    def __init__(self, parameter: torch.Tensor, holders: list[Any]) -> None:
        self.parameter = parameter
        self.requires_grad = parameter.requires_grad
        self.form = (parameter.shape, parameter.dtype, parameter.device)
        self.finite = bool(torch.isfinite(parameter.detach()).all())
        self.holders = holders


class _Lines(TorchFunctionMode):
    """Which line wrote to a tensor last, or put a parameter into a module. ``block``: the line of the whole edit, which is
    told where neither was seen."""

    def __init__(self) -> None:
        super().__init__()
        self.block = ""
        self._by_tensor: dict[int, str] = {}
        self._by_memory: dict[int, str] = {}
        self._by_name: dict[str, str] = {}
        self._handle: RemovableHandle | None = None

    def begin(self) -> None:
        """Watch this thread."""
        self._handle = register_module_parameter_registration_hook(self._registered)
        self.__enter__()  # type: ignore[no-untyped-call]

    def end(self) -> None:
        """Stop watching."""
        self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        if self._handle is not None:
            self._handle.remove()

    def _registered(self, module: torch.nn.Module, name: str, parameter: Any) -> None:
        self._by_name[name] = _line(sys._getframe(1))

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        first = args[0] if args and (name == "__set__" or name.endswith("_")) else kwargs.get("out")
        for written in first if isinstance(first, (list, tuple)) else (first,):
            if isinstance(written, torch.Tensor):
                self._note(written, _line(sys._getframe(1)))
        return func(*args, **kwargs)

    def _note(self, tensor: torch.Tensor, line: str) -> None:
        self._by_tensor[id(tensor)] = line
        if pointer := _pointer(tensor):  # through ``.data`` or ``detach()``, which are other objects
            self._by_memory[pointer] = line

    def of(self, name: str, tensor: torch.Tensor | None = None) -> str:
        """`` (file:line: code)`` of the last write to a parameter, or of the whole block if none was seen."""
        own = ""
        if tensor is not None:
            own = self._by_tensor.get(id(tensor), "") or self._by_memory.get(_pointer(tensor), "")
        line = own or self._by_name.get(name.rpartition(".")[2], "") or self.block
        return f" ({line})" if line else ""


def edit(module: M, *optimizers: torch.optim.Optimizer) -> Edit[M]:
    """Change parameters of ``module`` by hand, safely.

    The block runs under ``torch.no_grad()``. When it is left, every parameter must still be the same leaf object of the
    same shape, dtype and device, require grad as before, be finite, share memory with no other one that it did not
    share with before, and be held by the optimizers that held it.

    Args:
        module: the module whose parameters may be changed in the block.
        optimizers: those that hold its parameters (default: all in the caller's variables).

    Returns:
        A context manager; entering it gives ``module``.

    Raises:
        EditError: on leaving the block, naming each broken parameter and the line that did it (or of the block, where
            that is not known). What was written stays.
        UsageError: if ``module`` is no module or has lazy parameters, or one of ``optimizers`` is none.

    >>> import torch, whygrad
    >>> layer = torch.nn.Linear(2, 2)
    >>> with whygrad.edit(layer):
    ...     _ = layer.weight.zero_()
    >>> layer.weight.requires_grad, layer.weight.is_leaf
    (True, True)
    """
    if not isinstance(module, torch.nn.Module):
        raise UsageError(f"edit() takes a module, not {type(module).__name__}.")
    wrong = [type(o).__name__ for o in optimizers if not hasattr(o, "param_groups")]
    if wrong:
        raise UsageError(f"edit() takes optimizers after the module, not {wrong[0]}.")
    if any(torch.nn.parameter.is_lazy(p) for p in module.parameters()):
        raise UsageError("The module has lazy parameters; run one batch through it first.")
    found = list(optimizers) or found_around(sys._getframe(1))[1]
    return Edit(module, found)


def _named(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """All Parameters; what stands where one should be and is none is no parameter for torch either."""
    return module.named_parameters(remove_duplicate=False)


def _shared(named: dict[str, torch.Tensor]) -> dict[str, set[str]]:
    """For every name the others whose memory begins where its own does."""
    by_address: dict[int, list[str]] = {}
    for name, parameter in named.items():
        if pointer := _pointer(parameter):
            by_address.setdefault(pointer, []).append(name)
    return {name: {*names} - {name} for names in by_address.values() for name in names if len(names) > 1}


def _pointer(tensor: torch.Tensor) -> int:
    """Where its memory begins; 0 if it has none."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError, ValueError):  # sparse, lazy, and subclasses without storage
        return 0


def _line(frame: FrameType | None) -> str:
    """The nearest line that is neither torch's nor ours."""
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    if frame is None:
        return ""
    code = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" + (f": {code}" if code else "")
