"""The places of torch that a function mode does not see, each watched by a replaced attribute.

Constructors of tensors and optimizers, custom autograd Functions, gradient clipping, GradScaler, schedulers,
``zero_grad``, ``torch.from_numpy``, ``inference_mode``, ``torch.compile`` and ``module.requires_grad = ...``.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType
from typing import Any

import torch

from whygrad.observe import fast_paths, grad_mode, swapping
from whygrad.observe.guard import guarded
from whygrad.observe.importing import imported
from whygrad.observe.names import Category, Function
from whygrad.observe.optimizers import Optimizer, Optimizers
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet, Unheard
from whygrad.observe.rates import facts
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.stats import gradient_of
from whygrad.observe.told import Told
from whygrad.observe.warned import Warned
from whygrad.proving.sandbox import Files
from whygrad.trace import DATA

#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None
_CONSTRUCTOR = Function("torch.Tensor", Category.IMPORT, DATA)
_VARIABLE = Function("Variable", Category.IMPORT)
_FROM_NUMPY = Function("torch.from_numpy", Category.IMPORT, DATA)


class TorchPatches:
    """Installs and removes the replacements."""

    def __init__(self, recorder: Recorder, optimizers: Optimizers, files: Files | None = None) -> None:
        self._files = files
        self.recorder = recorder
        self.problems = recorder.problems
        self.optimizers = optimizers
        self.patches = Patches()
        self._stance: Any = None
        #: Whether a new Parameter is one that stands for another, gathered from all ranks (see ``shards``).
        self.gathered: Callable[[torch.Tensor], bool] = lambda tensor: False

    def install(self) -> None:
        """Replace what must be replaced."""
        p, own = self.patches, self.recorder.own
        p.set(torch.Tensor, "__init__", self._tensor_init())
        p.set(torch.autograd.Variable, "__new__", staticmethod(self._variable_new()))
        p.set(torch.autograd.Function, "apply", classmethod(self._function_apply()))
        p.around(torch, "from_numpy", after=self._from_numpy)
        p.around(torch.autograd.graph.saved_tensors_hooks, "__enter__", before=self._saved_hooks)
        p.around(torch.inference_mode, "__enter__", before=self._enter_inference)
        p.around(torch.inference_mode, "__exit__", after=self._exit_inference)
        p.around(Optimizer, "__init__", after=self._optimizer_init)
        p.around(Optimizer, "zero_grad", before=self._zero_grad, pausing=own)
        p.around(torch.nn.Module, "zero_grad", before=self._zero_grad, pausing=own)
        for name in (
            "register_full_backward_hook",
            "register_full_backward_pre_hook",
            "register_backward_hook",
        ):
            p.around(torch.nn.Module, name, after=self._module_hook)
        p.set(torch.nn.Module, "requires_grad", _RequiresGradAttribute(self._module_requires_grad))
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            clip = self._clipping(getattr(torch.nn.utils, name))
            for owner in (torch.nn.utils, torch.nn.utils.clip_grad):
                p.set(owner, name, clip)
        scaler = torch.amp.GradScaler
        p.around(scaler, "scale", after=self._scale)
        p.around(scaler, "unscale_", after=self._unscale, pausing=own)
        p.around(scaler, "step", before=self._before_scaler_step, after=self._scaler_step, pausing=own)
        p.around(scaler, "update", after=self._scaler_update, pausing=own)
        schedulers = torch.optim.lr_scheduler
        for scheduler in (schedulers.LRScheduler, schedulers.ReduceLROnPlateau):
            if "step" in scheduler.__dict__:
                p.around(scheduler, "step", before=self._before_scheduler, after=self._scheduler)
        p.around(torch, "compile", before=self._compile)
        fast_paths.keep(p)
        swapping.allow(p)
        Warned(self.problems).install(p)
        Told(self.problems).install(p)
        if self._files is not None:
            p.set(torch, "save", self._placed(torch.save, 1, True, self._files))
            p.set(torch, "load", self._placed(torch.load, 0, False, self._files))
        if "torch._dynamo.eval_frame" in sys.modules:
            self._compile()  # what was compiled before is run here too

    @staticmethod
    def _placed(
        original: Callable[..., Any], position: int, writes: bool, files: Files
    ) -> Callable[..., Any]:
        """torch.save and torch.load open files from C++: here the path is told, and may be another one."""

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if len(args) > position:
                args = (*args[:position], files.place(args[position], writes), *args[position + 1 :])
            elif "f" in kwargs:
                kwargs["f"] = files.place(kwargs["f"], writes)
            return original(*args, **kwargs)

        return call

    def remove(self) -> None:
        """Put everything back."""
        self.patches.undo()
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None
        rules = sys.modules.get("torch._dynamo.trace_rules")
        if (
            rules is not None
        ):  # it may have been loaded meanwhile, and has looked up our functions for torch's
            rules.clear_lru_cache()

    # -- tensors -------------------------------------------------------------------------------------

    def _tensor_init(self) -> Callable[..., None]:
        original = torch.Tensor.__init__
        link = self.patches.link(self._constructed)

        def __init__(self: torch.Tensor, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            # torch.Tensor does its work in __new__: object.__init__ would ignore the arguments just so, and refuse
            # them from an __init__ of a subclass
            if (args or kwargs) and type(self).__init__ is not __init__:
                original(self, *args, **kwargs)
            if link.to is not None:
                link.to(self, args, kwargs)

        return __init__

    @guarded("the construction of a tensor", None)
    def _constructed(self, tensor: torch.Tensor, args: Any, kwargs: Any) -> None:
        recorder = self.recorder
        data = args[0] if args else kwargs.get("data")
        with Unheard():
            if isinstance(tensor, torch.nn.Parameter):
                if self.gathered(tensor):
                    return
                note = recorder.values.get(data) if isinstance(data, torch.Tensor) else None
                entry = recorder.params.add(tensor, "parameter", recorder.stacks.here(), recorder.tick)
                entry.created = recorder.stacks.here()
                if note is not None:
                    # made of another parameter's value: a copy of it (deepcopy), not a fresh initialisation
                    entry.note.origin = note.origin | (32 if note.carries else 0)
            elif type(tensor) is torch.Tensor and not recorder.own.paused and not recorder.light:
                imported(recorder, _CONSTRUCTOR, (args, kwargs), args, tensor, recorder.inputs(args))

    def _variable_new(self) -> Callable[..., Any]:
        original, link = torch.autograd.Variable.__new__, self.patches.link(self._wrapped)

        def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            result = original(cls, *args, **kwargs)
            if link.to is not None:
                link.to(result, args, kwargs)
            return result

        return __new__

    @guarded("the construction of a Variable", None)
    def _wrapped(self, result: Any, args: Any, kwargs: Any) -> None:
        recorder = self.recorder
        data = args[0] if args else kwargs.get("data")
        if not isinstance(data, torch.Tensor) or result is data or recorder.own.paused or recorder.light:
            return
        with Unheard():
            notes = recorder.inputs([data])
            if any(n.carries for n in notes):
                recorder.operation(_VARIABLE, (args, kwargs), notes, [result])
            elif not result.requires_grad:
                recorder.fresh(result, notes, _VARIABLE, recorder.stacks.here())

    @guarded("torch.from_numpy", None)
    def _from_numpy(self, token: Any, result: torch.Tensor, *args: Any) -> None:
        if not self.recorder.own.paused and not self.recorder.light:
            with Unheard():
                imported(self.recorder, _FROM_NUMPY, (args, {}), args, result, [])

    def _function_apply(self) -> Callable[..., Any]:
        original = torch.autograd.Function.__dict__["apply"].__func__
        link = self.patches.link((self._before_apply, self._after_apply))

        @functools.wraps(original)
        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if link.to is None:
                return original(cls, *args, **kwargs)
            before, after = link.to
            token = before(cls, args)
            result = None
            try:
                result = original(cls, *args, **kwargs)
                return result
            finally:
                after(token, cls, args, kwargs, result)

        return apply

    @guarded("a custom autograd Function", None)
    def _before_apply(self, cls: Any, args: Any) -> Any:
        recorder = self.recorder
        if recorder.own.paused or recorder.light:
            return None
        with Unheard():
            notes = recorder.inputs(args)
        recorder.own.inside.append(cls.__name__)
        return notes, torch._C._autograd._get_sequence_nr(), len(recorder.ops)

    @guarded("a custom autograd Function", None)
    def _after_apply(self, token: Any, cls: Any, args: Any, kwargs: Any, result: Any) -> None:
        if token is None:
            return
        recorder = self.recorder
        recorder.own.inside.pop()
        notes, started, _ = token
        results = tensors_in([result])
        with Unheard():
            # the results keep the notes that the forward's own operations gave them: what it took from elsewhere
            # (a module's weight behind `self`) stays in their history
            notes = notes + [
                n for r in results if (n := recorder.values.get(r)) is not None and n not in notes
            ]
            if results and (any(n.carries for n in notes) or any(r.requires_grad for r in results)):
                function = Function(f"{cls.__name__}.apply", Category.OP)
                recorder.operation(function, (args, kwargs), notes, results, started)

    # -- grad mode -----------------------------------------------------------------------------------

    @guarded("hooks on saved tensors", None)
    def _saved_hooks(self, context: Any) -> None:
        self.recorder.saved_hooks = True

    @guarded("inference_mode", None)
    def _enter_inference(self, context: Any) -> None:
        grad_mode.enter_inference(self.recorder, context)

    @guarded("inference_mode", None)
    def _exit_inference(self, token: Any, result: Any, *args: Any) -> None:
        grad_mode.leave(self.recorder)

    def _indices(self, tensors: Iterable[torch.Tensor]) -> list[int]:
        """The tracked ones among some tensors, by their index."""
        return [e.index for p in tensors if (e := self.recorder.params.find(p)) is not None]

    @guarded("module.requires_grad", None)
    def _module_requires_grad(self, module: torch.nn.Module, value: object) -> None:
        with Quiet():
            params = self._indices(_parameters(module))
        self.recorder.event("module-requires-grad", params=params, data={"value": bool(value)})

    @guarded("a hook of a module", None)
    def _module_hook(
        self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any
    ) -> None:
        with Quiet():
            params = self._indices(_parameters(module))
        self.recorder.event("hook", params=params, data={"how": "module"})

    @guarded("torch.compile", None)
    def _compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiled code would pass by unseen: while observing it is run as it is written."""
        if self._stance is None:
            self._stance = torch.compiler.set_stance("force_eager")

    # -- optimizers ----------------------------------------------------------------------------------

    @guarded("the construction of an optimizer", None)
    def _optimizer_init(self, token: Any, result: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        with Quiet():
            known = self.optimizers.find(optimizer, self.recorder.stacks.here())
            self.optimizers.read_groups(known)

    @guarded("zero_grad", None)
    def _zero_grad(self, owner: Any, *args: Any, **kwargs: Any) -> None:
        self.optimizers.recover()
        if self.recorder.own.paused or self.recorder.light:
            return
        with Quiet():
            pairs: list[tuple[int, torch.Tensor]]
            if isinstance(owner, torch.nn.Module):
                pairs = [
                    (e.index, p)
                    for p in _parameters(owner)
                    if (e := self.recorder.params.find(p)) is not None
                ]
                optimizer = -1
            else:
                known = self.optimizers.find(owner)
                pairs, optimizer = self.optimizers.read_groups(known), known.index
            cleared = [i for i, p in pairs if gradient_of(p) is not None]
        self.recorder.event("zero-grad", params=cleared, optimizer=optimizer)

    def _clipping(self, original: Callable[..., Any]) -> Callable[..., Any]:
        link = self.patches.link((self.recorder.own, self._overheard, self._clip))

        @functools.wraps(original)
        def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            if link.to is None:
                return original(parameters, *args, **kwargs)
            own, overheard, clipped = link.to
            read: list[torch.Tensor] = []
            heard = overheard(parameters, read)
            own.paused += 1
            try:
                result = original(parameters if heard is None else heard, *args, **kwargs)
            finally:
                own.paused -= 1
            clipped(result, read or parameters, args, kwargs)
            return result

        return clip

    @guarded("gradient clipping", None)
    def _overheard(self, parameters: Any, read: list[torch.Tensor]) -> Any:
        """The same parameters; if they can be read only once, by torch, what it reads is noted."""
        if isinstance(
            parameters, GeneratorType
        ):  # torch has a warning for empty ones: it must stay a generator
            note = _Reader(read)
            return (note(p) for p in parameters)
        if isinstance(parameters, Iterator):
            return map(_Reader(read), parameters)
        return parameters

    @guarded("gradient clipping", None)
    def _clip(self, result: Any, parameters: Any, args: Any, kwargs: Any) -> None:
        if self.recorder.light:
            return
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        own = [parameters] if isinstance(parameters, torch.Tensor) else parameters
        params = self._indices(own)
        total = float(result) if isinstance(result, torch.Tensor) else None
        self.recorder.event("clip", params=params, data={"limit": float(limit or 0), "total_norm": total})

    # -- GradScaler ----------------------------------------------------------------------------------

    def _scaler_event(self, kind: str, scaler: Any, optimizer: Any = None, **data: Any) -> None:
        if scaler.is_enabled() and not self.recorder.light:
            index = self.optimizers.find(optimizer).index if optimizer is not None else -1
            with Quiet():
                scale = float(scaler.get_scale())
            self.recorder.event(kind, optimizer=index, data={"scale": scale, **data})

    @guarded("GradScaler.scale", None)
    def _scale(self, token: Any, result: Any, scaler: Any, *args: Any, **kwargs: Any) -> None:
        self._scaler_event("scale", scaler)

    @guarded("GradScaler.unscale_", None)
    def _unscale(self, token: Any, result: Any, scaler: Any, optimizer: Any) -> None:
        self._scaler_event("unscale", scaler, optimizer)

    @guarded("GradScaler.step", None)
    def _before_scaler_step(self, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> int:
        return self.optimizers.find(optimizer).steps

    @guarded("GradScaler.step", None)
    def _scaler_step(
        self, token: Any, result: Any, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any
    ) -> None:
        skipped = self.optimizers.find(optimizer).steps == token
        self._scaler_event("scaler-step", scaler, optimizer, found_inf=skipped)
        if skipped:
            self.optimizers.skipped(optimizer)

    @guarded("GradScaler.update", None)
    def _scaler_update(self, token: Any, result: Any, scaler: Any, *args: Any, **kwargs: Any) -> None:
        self._scaler_event("scaler-update", scaler)

    # -- schedulers ----------------------------------------------------------------------------------

    @staticmethod
    def _rates(scheduler: Any) -> list[float]:
        groups = getattr(getattr(scheduler, "optimizer", None), "param_groups", ())
        return [float(g["lr"]) for g in groups if "lr" in g]

    @guarded("a scheduler", None)
    def _before_scheduler(self, scheduler: Any, *args: Any, **kwargs: Any) -> list[float]:
        return self._rates(scheduler)

    @guarded("a scheduler", None)
    def _scheduler(self, token: Any, result: Any, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        after = self._rates(scheduler)
        if optimizer is None or not after or not token:
            return
        data = {**facts(scheduler), "before": max(token), "after": max(after)}
        self.recorder.event("scheduler-step", optimizer=self.optimizers.find(optimizer).index, data=data)


class _RequiresGradAttribute:
    """Stands in for the attribute that ``nn.Module`` does not have: ``module.requires_grad = True`` sets a plain
    attribute that nothing reads. Reading, setting and deleting behave as without it; setting is also noted."""

    def __init__(self, noted: Callable[[torch.nn.Module, object], None]) -> None:
        self._noted = noted

    def __get__(self, module: torch.nn.Module | None, owner: type) -> Any:
        if module is not None and "requires_grad" in module.__dict__:
            return module.__dict__["requires_grad"]
        raise AttributeError(f"'{owner.__name__}' object has no attribute 'requires_grad'")

    def __set__(self, module: torch.nn.Module, value: object) -> None:
        module.__dict__["requires_grad"] = value
        self._noted(module, value)

    def __delete__(self, module: torch.nn.Module) -> None:
        if "requires_grad" not in module.__dict__:
            raise AttributeError(f"'{type(module).__name__}' object has no attribute 'requires_grad'")
        del module.__dict__["requires_grad"]


class _Reader:
    """Passes on what it is given, and keeps it."""

    def __init__(self, read: list[torch.Tensor]) -> None:
        self._read = read

    def __call__(self, parameter: torch.Tensor) -> torch.Tensor:
        self._read.append(parameter)
        return parameter


def _parameters(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    """All parameters of a module, without a call of any method that a user may have overridden."""
    seen: set[int] = set()
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield from (p for p in one._parameters.values() if p is not None)
            waiting += [m for m in one._modules.values() if m is not None]
