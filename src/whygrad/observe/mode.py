"""The function mode: sees every Python-level torch call of its thread and hands it to the recorder.

It runs the call exactly as it came and returns exactly what came back; everything else happens in guarded
methods after (or, for what must be known earlier, before) the call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad import trace as t
from whygrad.observe import grad_mode
from whygrad.observe.backward import Backwards
from whygrad.observe.guard import guarded
from whygrad.observe.names import Category, Function, classify
from whygrad.observe.parameters import Tracked
from whygrad.observe.probe import second_look
from whygrad.observe.raising import range_elsewhere
from whygrad.observe.recorder import Recorder, from_init, tensors_in, unfollowed
from whygrad.observe.values import Note, merge_imports

_next_node = torch._C._autograd._get_sequence_nr
_subclasses_silent = torch._C.DisableTorchFunctionSubclass
_UNKNOWN = Function("?", Category.SKIP)
_MANY = 10_000  #: functions remembered; a program may make new ones all the time
#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


class Watch(TorchFunctionMode):
    """The mode itself: one object a thread, all sharing one recorder."""

    def __init__(self, recorder: Recorder, backwards: Backwards) -> None:
        super().__init__()
        self.handler = Handler(recorder, backwards)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Args = (), kwargs: Kwargs | None = None
    ) -> Any:
        kwargs = kwargs or {}
        handler = self.handler
        recorder = handler.recorder
        if not recorder.active:
            return func(*args, **kwargs)
        try:
            function = handler.known[func]
        except (KeyError, TypeError):  # TypeError: a callable of the user's may be unhashable
            function = handler.function(func)
        category = function.category
        if category is Category.SKIP:
            return func(*args, **kwargs)
        if category is Category.GRAD_MODE:
            handler.grad_mode(args)
            return func(*args, **kwargs)
        if category is Category.BACKWARD:
            return handler.backwards.call(func, args, kwargs)
        if recorder.own.paused or (recorder.light and category is not Category.TRAINABLE):
            return func(*args, **kwargs)
        if category is Category.GRAD:
            return handler.backwards.grad(function, func, args, kwargs)
        started = _next_node()
        before = handler.before(function, args, kwargs)
        began = time.perf_counter()
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            handler.raising.call(function, func, args, kwargs, error)
            raise
        handler.after(function, args, kwargs, result, before, started, time.perf_counter() - began)
        return result


class Handler:
    """What is noted of a call, by category."""

    def __init__(self, recorder: Recorder, backwards: Backwards) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.backwards = backwards
        self.raising = backwards.raising
        self.known: dict[Any, Function] = {}
        self._after: dict[Category, Callable[..., None]] = {
            Category.OP: self._op,
            Category.CREATE: self._create,
            Category.INPLACE: self._inplace,
            Category.IMPORT: self._import,
            Category.ESCAPE: self._escape,
            Category.GRAD_GET: self._grad_get,
            Category.GRAD_SET: self._grad_set,
            Category.DATA_SET: self._data_set,
            Category.TRAINABLE: self._trainable,
            Category.HOOK: self._hook,
        }

    @guarded("the kind of a call", _UNKNOWN)
    def function(self, func: Callable[..., Any]) -> Function:
        """What is known of a torch function that is seen for the first time."""
        function = classify(func)
        if len(self.known) < _MANY and isinstance(func, Hashable):
            self.known[func] = function
        return function

    @guarded("the grad mode", None)
    def grad_mode(self, args: Args) -> None:
        """Autograd is about to be switched on or off."""
        grad_mode.before(self.recorder, args)

    @guarded("the inputs of an operation", None)
    def before(self, function: Function, args: Args, kwargs: Kwargs) -> list[Note] | None:
        """Notes of the inputs as they were when the call began (an in-place call gives them new numbers)."""
        if unfollowed(self.problems):
            return None
        with _subclasses_silent():
            notes = self.recorder.inputs(args)
            if kwargs:
                notes += self.recorder.inputs(kwargs.values())
        return notes

    @guarded("an operation", None)
    def after(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note] | None,
        started: int,
        seconds: float,
    ) -> None:
        """Note what came of a call."""
        if notes is not None:
            self.recorder.seen_ops += 1
            with _subclasses_silent():
                self._after[function.category](function, args, kwargs, result, notes, started, seconds)

    def _op(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        results = [result] if isinstance(result, torch.Tensor) else tensors_in([result])
        out = kwargs.get("out")
        if out is not None:
            self._wrote(function, out, notes)
        if not results:
            return
        recorder = self.recorder
        if any([n.carries for n in notes]) or any(
            [r.requires_grad for r in results if r.grad_fn is not None]
        ):
            if recorder.escapes and float in map(type, args):
                recorder.returned(args)
            index = recorder.operation(function, (args, kwargs), notes, results, started, s)
            if recorder.suspicious:
                second_look(recorder, index, args, kwargs, results)
            if notes and notes[0].grad_of >= 0 and function.name in ("data", "detach"):
                recorder.note_of(results[0]).grad_of = notes[0].grad_of
            return
        stack = recorder.stacks.here()
        for tensor in results:
            if recorder.values.get(tensor) is None:
                note = recorder.fresh(tensor, notes, function, stack)
                if not tensor.is_cpu and not tensor.is_floating_point():
                    note.range = range_elsewhere(args, notes)

    def _create(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        # of the tensor in zeros_like(x) or x.new_zeros(...) only shape and type are taken, none of its numbers
        shape_only = function.name.endswith("_like") or function.name.startswith("new_")
        self._op(function, args, kwargs, result, [] if shape_only else notes, started, s)

    def _inplace(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        recorder = self.recorder
        target = args[0] if args else kwargs.get("tensor", result)
        if not isinstance(target, torch.Tensor):
            for one in tensors_in([target]):  # torch._foreach_..._
                self._wrote_one(function, one, recorder.note_of(one))
            return
        note = recorder.note_of(target)
        sources = [n for n in notes if n is not note] if function.overwrites else notes
        entry = self._wrote_one(function, target, note)
        if entry is not None and note.param < 0 and note is not entry.note:
            entry.note.origin = self._origin(function, entry.note, sources)
        note.origin = self._origin(function, note, sources)
        note.imports = merge_imports([n.imports for n in sources])
        if any([n.carries for n in sources]) or note.param >= 0 or target.requires_grad:
            index = recorder.operation(function, (args, kwargs), notes, [target], started, s)
            if recorder.suspicious:
                second_look(recorder, index, args, kwargs, [target])
        else:
            recorder.overwrote(target, note, function.name)
            if function.overwrites:
                note.carries = False
        recorder.tick += 1
        note.written = recorder.tick
        recorder.values.wrote(target, note, recorder.tick)

    def _wrote_one(self, function: Function, target: torch.Tensor, note: Note) -> Tracked | None:
        """A tensor is written: tell if it is a gradient; return what is known of the parameter that it belongs to."""
        if note.grad_of >= 0:
            self.recorder.merged("grad-set", note.grad_of, {"op": function.name})
        entry = self.recorder.params.find(target) or self.recorder.params.behind(target)
        if entry is not None:
            self.recorder.wrote_parameter(entry, function.name)
        return entry

    @staticmethod
    def _origin(function: Function, old: Note, sources: list[Note]) -> int:
        origin = function.origin | (t.INIT if function.origin & t.RANDOM and from_init() else 0)
        for note in sources:
            origin |= note.origin
        return origin if function.overwrites else origin | old.origin

    def _wrote(self, function: Function, out: Any, notes: list[Note]) -> None:
        for target in tensors_in([out]):
            entry = self.recorder.params.find(target) or self.recorder.params.behind(target)
            if entry is not None:
                self.recorder.wrote_parameter(entry, function.name)

    def _import(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        imported(
            self.recorder, function, (args, kwargs), args[1:] if _is_method(args) else args, result, notes
        )

    def _escape(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        source = args[0]
        if not notes[0].carries:
            return
        if source.dtype in _FLOATS:
            self.recorder.escaped(notes[0], function.name, result)
        else:
            self.recorder.escapes.chose(notes[0], result, self.recorder.tick)
        if function.name in ("numpy", "__array__"):
            self.recorder.values.exported(int(result.__array_interface__["data"][0]), notes[0])

    def _grad_get(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        param = notes[0].param
        if param < 0 or result is None:
            return
        note = self.recorder.note_of(result)
        note.grad_of, note.carries = param, True
        self.recorder.merged("grad-read", param)

    def _grad_set(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        if notes[0].param >= 0:
            cleared = len(args) < 2 or args[1] is None
            self.recorder.merged("grad-set", notes[0].param, {"op": "None" if cleared else "assigned"})

    def _data_set(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        entry = self.recorder.params.find(args[0])
        if entry is not None:
            if len(notes) > 1:
                entry.note.origin = notes[1].origin
            self.recorder.params.remember_storage(args[0], entry.index)
            self.recorder.wrote_parameter(entry, "data =")

    def _trainable(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        set_trainable(self.recorder, function, args, kwargs, notes)

    def _hook(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        s: float,
    ) -> None:
        params = [notes[0].param] if notes[0].param >= 0 else []
        values = [self.recorder.values.number(notes[0])] if notes[0].carries else []
        self.recorder.event("hook", params=params, values=values, data={"how": function.name})


def imported(
    recorder: Recorder,
    function: Function,
    call: tuple[Args, Kwargs],
    data: Args,
    result: Any,
    notes: list[Note],
) -> None:
    """Python numbers, tensors or an array became a new tensor: join it to what it was made of, where that is seen."""
    if not isinstance(result, torch.Tensor):
        return
    source = data[0] if data else call[1].get("data")
    if source is result:
        return
    address = getattr(source, "__array_interface__", None)
    if isinstance(address, dict):
        known = recorder.values.imported(int(address["data"][0]))
        notes = [*notes, known] if known is not None else notes
    elif isinstance(source, (int, float, list, tuple)):
        numbers = _flat(source)
        notes = (
            notes + recorder.escapes.returning(numbers) + recorder.escapes.choosing(numbers, recorder.tick)
        )
    stack = recorder.stacks.here()
    if any([n.carries for n in notes]):
        recorder.operation(function, call, notes, [result], stack=stack)
        note = recorder.values.get(result)
    else:
        note = recorder.fresh(result, notes, function, stack)
    if note is not None:
        note.imports = merge_imports([note.imports, (stack,)])
    if recorder.escapes:
        recorder.entered(stack)


def set_trainable(
    recorder: Recorder, function: Function, args: Args, kwargs: Kwargs, notes: list[Note]
) -> None:
    """``requires_grad`` was set: a flip of a tracked tensor, or a new root of the graph."""
    tensor = args[0]
    wanted = bool(args[1] if len(args) > 1 else kwargs.get("requires_grad", True))
    entry = recorder.params.find(tensor)
    if entry is None and tensor.is_leaf and wanted and not notes[0].carries:
        entry = recorder.params.add(tensor, "tensor", recorder.stacks.here(), recorder.tick)
    if entry is None:
        if notes[0].carries and not recorder.light:
            recorder.operation(function, (args, kwargs), notes, [tensor])
        return
    recorder.merged("set-requires-grad", entry.index, {"value": wanted})
    if entry.requires_grad != wanted:
        entry.requires_grad = wanted
        entry.flips.append(t.Flip(recorder.tick, recorder.step, wanted, recorder.stacks.here()))
        recorder.values.describe(tensor, entry.note)
        entry.note.vid = -1


def _flat(numbers: Any) -> list[Any]:
    out: list[Any] = []
    for one in numbers if isinstance(numbers, (list, tuple)) else [numbers]:
        if isinstance(one, (list, tuple)):
            out.extend(_flat(one))
        else:
            out.append(one)
        if len(out) > 256:
            break
    return out


def _is_method(args: Args) -> bool:
    return bool(args) and isinstance(args[0], torch.Tensor) and len(args) > 1
