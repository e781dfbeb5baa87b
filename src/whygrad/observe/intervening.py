"""Carries out an intervention: the one thing that a proof run does differently from the user's script.

A function mode of its own lies on top of the observing one, so that the observer sees the run as it now is. What no
mode sees is done by replacing attributes, as in ``patches``, and taken back at the end.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from whygrad.observe.patching import Patches
from whygrad.observe.recorder import tensors_in
from whygrad.proving.intervention import Intervention

_NOT_MINE = object()


class Places:
    """Whether the present call comes from one of the lines to change."""

    def __init__(self, intervention: Intervention) -> None:
        self._lines: dict[str, set[int]] = {}
        for place in intervention.places:
            self._lines.setdefault(str(Path(place.file).resolve()), set()).add(place.line)
        self._files: dict[str, set[int]] = {}

    def here(self, decorated: bool = False) -> bool:
        """True if any frame of the stack stands on such a line (``decorated``: or is torch's wrapper of a function
        whose definition begins there)."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if frame.f_lineno in self._of(code.co_filename):
                return True
            if decorated and code.co_name == "decorate_context":
                inner = getattr(frame.f_locals.get("func"), "__code__", None)
                if inner is not None and inner.co_firstlineno in self._of(inner.co_filename):
                    return True
            frame = frame.f_back
        return False

    def _of(self, file: str) -> set[int]:
        lines = self._files.get(file)
        if lines is None:
            lines = self._files[file] = self._lines.get(str(Path(file).resolve()), set())
        return lines


class CallChanger(TorchFunctionMode):
    """Changes single torch calls at the places of an intervention."""

    def __init__(self, intervention: Intervention, applied: Callable[[], None]) -> None:
        super().__init__()
        self._applied = applied
        self._does: Callable[..., Any] = getattr(
            self, "_" + intervention.kind.replace("-", "_"), self._nothing
        )
        self._joins = intervention.kind in ("pass-through", "keep-tensor", "grad-on")
        self._names = set(intervention.names)
        self._places = Places(intervention)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        if name == "backward" and self._joins:
            # a path that was cut may run through a graph that another backward pass has freed by now
            kwargs = {**kwargs, "retain_graph": True} if len(args) < 3 else kwargs
        done = self._does(name, func, args, kwargs)
        if done is _NOT_MINE:
            return func(*args, **kwargs)
        self._applied()
        return done

    def _nothing(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        return _NOT_MINE

    def _mine(self, name: str) -> bool:
        return name in self._names and self._places.here()

    def _pass_through(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._mine(name):
            return _NOT_MINE
        given = tensors_in([args, kwargs])
        differentiable = [x for x in given if x.requires_grad] or given
        return differentiable[0] if differentiable else _NOT_MINE

    def _straight_through(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._mine(name):
            return _NOT_MINE
        given = tensors_in([args])[0]
        return given + (func(*args, **kwargs) - given).detach()

    def _skip(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        return (args[0] if args else None) if self._mine(name) else _NOT_MINE

    def _align(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._mine(name):
            return _NOT_MINE
        given = [(k, v) for k, v in [*enumerate(args), *kwargs.items()] if isinstance(v, torch.Tensor)]
        if len(given) < 2:
            return _NOT_MINE
        (_, first), (key, second) = given[:2]
        if first.numel() != second.numel() or first.shape == second.shape:
            return _NOT_MINE
        second = second.reshape(first.shape)
        if isinstance(key, int):
            return func(*args[:key], second, *args[key + 1 :], **kwargs)
        return func(*args, **{**kwargs, key: second})

    def _keep_tensor(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if name in ("item", "tolist") and self._places.here() and args[0].requires_grad:
            return args[0] if name == "item" or args[0].dim() == 0 else list(args[0].unbind())
        if name in ("tensor", "as_tensor") and self._places.here():
            data = args[0] if args else kwargs.get("data")
            if isinstance(data, torch.Tensor):
                return data
            if isinstance(data, (list, tuple)) and data and all(isinstance(x, torch.Tensor) for x in data):
                return torch.stack(list(data))
        return _NOT_MINE

    def _grad_on(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        off = name == "_set_grad_enabled" and args and args[0] is False
        return func(True) if off and self._places.here(decorated=True) else _NOT_MINE

    def _write_back(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        target = next((a for a in args if isinstance(a, torch.nn.Parameter)), None)
        if target is None or torch.is_grad_enabled() or not self._places.here():
            return _NOT_MINE
        result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor) and result.shape == target.shape:
            target.data.copy_(result)
        return result

    def _finite(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._mine(name):
            return _NOT_MINE
        return func(*[_finite(a) if _is_float(a) else a for a in args], **kwargs)

    def _trainable(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        if name not in ("requires_grad", "requires_grad_"):
            return _NOT_MINE
        wanted = args[1] if len(args) > 1 else kwargs.get("requires_grad", True)
        return args[0] if not wanted and self._places.here() else _NOT_MINE


def _finite(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with zeros for what is not finite, in its values and in the gradient that comes back to it."""
    clean = torch.nan_to_num(tensor, 0.0, 0.0, 0.0)
    if clean.requires_grad:
        clean.register_hook(lambda gradient: torch.nan_to_num(gradient, 0.0, 0.0, 0.0))
    return clean


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point


def _name(func: Callable[..., Any]) -> str:
    """The function's own name; an attribute's name for its setter or getter."""
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__"):
        return str(getattr(getattr(func, "__self__", None), "__name__", ""))
    return name


class Intervening:
    """Everything installed for one intervention."""

    def __init__(self, intervention: Intervention, applied: Callable[[], None]) -> None:
        self.intervention = intervention
        self._applied = applied
        self._places = Places(intervention)
        self._patches = Patches()
        self._mode = CallChanger(intervention, applied)
        self._handles: list[RemovableHandle] = []
        self._entered = False

    def install(self) -> None:
        """Begin to differ. Called before the observer's own patches, so that these lie around ours."""
        kind = self.intervention.kind
        if kind == "skip":
            self._skipping()
        elif kind == "grad-on":
            self._patches.set(torch.inference_mode, "__enter__", self._inference_enter())
        elif kind == "grad-input":
            self._patches.set(torch.autograd.Function, "apply", classmethod(self._apply()))
        elif kind == "keep-parameter":
            self._handles.append(register_module_parameter_registration_hook(self._kept))  # type: ignore[arg-type]

    def enter(self) -> None:
        """Put the function mode on top of the observer's."""
        self._mode.__enter__()  # type: ignore[no-untyped-call]
        self._entered = True

    def leave(self) -> None:
        """Take the function mode off again."""
        if self._entered:
            self._entered = False
            self._mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def remove(self) -> None:
        """Put everything back."""
        self._patches.undo()
        for handle in self._handles:
            handle.remove()

    def _apply(self) -> Callable[..., Any]:
        original = torch.autograd.Function.__dict__["apply"].__func__

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            tensors = [a for a in args if isinstance(a, torch.Tensor)]
            if self._places.here() and tensors and not any(a.requires_grad for a in tensors):
                self._applied()
                first = next(i for i, a in enumerate(args) if _is_float(a))
                args = (*args[:first], args[first].detach().requires_grad_(True), *args[first + 1 :])
            return original(cls, *args, **kwargs)

        return apply

    def _kept(self, module: torch.nn.Module, name: str, fresh: torch.Tensor | None) -> torch.Tensor | None:
        """What the module had under this name stays, if it is one of the names to keep."""
        old = module._parameters.get(name)
        mine = any(full.rpartition(".")[2] == name for full in self.intervention.params)
        if not mine or old is None:
            return None
        self._applied()
        return old

    def _skipping(self) -> None:
        nn, optim = torch.nn, torch.optim
        targets: dict[str, list[Any]] = {
            "zero_grad": [optim.Optimizer, nn.Module],
            "clip_grad_norm_": [nn.utils, nn.utils.clip_grad],
            "clip_grad_value_": [nn.utils, nn.utils.clip_grad],
            "load_state_dict": [nn.Module],
            "eval": [nn.Module],
            "train": [nn.Module],
            "register_hook": [torch.Tensor],
        }
        for name in self.intervention.names:
            for owner in targets.get(name, ()):
                self._patches.set(owner, name, self._skipped(getattr(owner, name)))

    def _skipped(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._places.here():
                self._applied()
                if original.__name__ in ("eval", "train"):
                    return args[0]
                return torch.zeros(()) if original.__name__.startswith("clip") else None
            return original(*args, **kwargs)

        return call

    def _inference_enter(self) -> Callable[..., None]:
        original = torch.inference_mode.__enter__

        def enter(context: Any) -> None:
            if self._places.here(decorated=True):
                self._applied()
                context.mode = False
            original(context)

        return enter
