"""What the observer notes of a call that the function mode has seen, by its category."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe import grad_mode
from whygrad.observe.backward import Backwards
from whygrad.observe.call import Args, Call, Kwargs
from whygrad.observe.guard import guarded
from whygrad.observe.importing import imported, is_method
from whygrad.observe.names import Category, Function, classify
from whygrad.observe.parameters import Tracked
from whygrad.observe.probe import second_look
from whygrad.observe.raising import range_elsewhere
from whygrad.observe.recorder import Recorder, from_init, tensors_in, unfollowed
from whygrad.observe.values import Note, merge_imports

_subclasses_silent = torch._C.DisableTorchFunctionSubclass
_UNKNOWN = Function("?", Category.SKIP)
_MANY = 10_000  #: functions remembered; a program may make new ones all the time
#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


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
            call = Call(function, args, kwargs, result, notes, started, seconds)
            with _subclasses_silent():
                self._after[function.category](call)
            if function.name in self.recorder.watched:
                self.recorder.on_call(call)

    def _op(self, call: Call) -> None:
        results = [call.result] if isinstance(call.result, torch.Tensor) else tensors_in([call.result])
        out = call.kwargs.get("out")
        if out is not None:
            self._wrote(call.function, out, call.notes)
        if not results:
            return
        recorder = self.recorder
        if any([n.carries for n in call.notes]) or any(
            [r.requires_grad for r in results if r.grad_fn is not None]
        ):
            if recorder.escapes and float in map(type, call.args):
                recorder.returned(call.args)
            self._recorded(call, results)
            if call.notes and call.notes[0].grad_of >= 0 and call.function.name in ("data", "detach"):
                recorder.note_of(results[0]).grad_of = call.notes[0].grad_of
            return
        stack = recorder.stacks.here()
        for tensor in results:
            if recorder.values.get(tensor) is None:
                note = recorder.fresh(tensor, call.notes, call.function, stack)
                if not tensor.is_cpu and not tensor.is_floating_point():
                    note.range = range_elsewhere(call.args, call.notes)

    def _recorded(self, call: Call, results: list[torch.Tensor]) -> None:
        recorder, given = self.recorder, (call.args, call.kwargs)
        call.op = recorder.operation(call.function, given, call.notes, results, call.started, call.seconds)
        if recorder.suspicious:
            second_look(recorder, call.op, call.args, call.kwargs, results)

    def _create(self, call: Call) -> None:
        # of the tensor in zeros_like(x) or x.new_zeros(...) only shape and type are taken, none of its numbers
        shape_only = call.function.name.endswith("_like") or call.function.name.startswith("new_")
        if shape_only:
            call.notes = []
        self._op(call)

    def _inplace(self, call: Call) -> None:
        recorder = self.recorder
        target = call.args[0] if call.args else call.kwargs.get("tensor", call.result)
        if not isinstance(target, torch.Tensor):
            for one in tensors_in([target]):  # torch._foreach_..._
                self._wrote_one(call.function, one, recorder.note_of(one))
            return
        note = recorder.note_of(target)
        sources = [n for n in call.notes if n is not note] if call.function.overwrites else call.notes
        entry = self._wrote_one(call.function, target, note)
        if entry is not None and note.param < 0 and note is not entry.note:
            entry.note.origin = self._origin(call.function, entry.note, sources)
        note.origin = self._origin(call.function, note, sources)
        note.imports = merge_imports([n.imports for n in sources])
        if any([n.carries for n in sources]) or note.param >= 0 or target.requires_grad:
            self._recorded(call, [target])
        else:
            recorder.overwrote(target, note, call.function.name)
            if call.function.overwrites:
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

    def _import(self, call: Call) -> None:
        imported(
            self.recorder,
            call.function,
            (call.args, call.kwargs),
            call.args[1:] if is_method(call.args) else call.args,
            call.result,
            call.notes,
        )

    def _escape(self, call: Call) -> None:
        source = call.args[0]
        if not call.notes[0].carries:
            return
        if source.dtype in _FLOATS:
            self.recorder.escaped(call.notes[0], call.function.name, call.result)
        else:
            self.recorder.escapes.chose(call.notes[0], call.result, self.recorder.tick)
        if call.function.name in ("numpy", "__array__"):
            self.recorder.values.exported(int(call.result.__array_interface__["data"][0]), call.notes[0])

    def _grad_get(self, call: Call) -> None:
        param = call.notes[0].param
        if param < 0 or call.result is None:
            return
        note = self.recorder.note_of(call.result)
        note.grad_of, note.carries = param, True
        self.recorder.merged("grad-read", param)

    def _grad_set(self, call: Call) -> None:
        if call.notes[0].param >= 0:
            cleared = len(call.args) < 2 or call.args[1] is None
            self.recorder.merged("grad-set", call.notes[0].param, {"op": "None" if cleared else "assigned"})

    def _data_set(self, call: Call) -> None:
        entry = self.recorder.params.find(call.args[0])
        if entry is not None:
            if len(call.notes) > 1:
                entry.note.origin = call.notes[1].origin
            self.recorder.params.remember_storage(call.args[0], entry.index)
            self.recorder.wrote_parameter(entry, "data =")

    def _trainable(self, call: Call) -> None:
        set_trainable(self.recorder, call.function, call.args, call.kwargs, call.notes)

    def _hook(self, call: Call) -> None:
        params = [call.notes[0].param] if call.notes[0].param >= 0 else []
        values = [self.recorder.values.number(call.notes[0])] if call.notes[0].carries else []
        self.recorder.event("hook", params=params, values=values, data={"how": call.function.name})


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
