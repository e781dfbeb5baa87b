"""The record as it grows: operations, values and events, in the order in which they happened.

The recorder knows nothing of how torch is intercepted; ``mode``, ``backward``, ``optimizers`` and ``patches``
call it. It keeps notes and numbers, never tensors.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec
import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.callers import Callers
from whygrad.observe.escapes import Escapes
from whygrad.observe.frames import Stacks
from whygrad.observe.guard import Problems
from whygrad.observe.names import Category, Function
from whygrad.observe.parameters import Parameters, Tracked
from whygrad.observe.values import Note, Values, merge_imports

_SHOWN = (tuple, list, float, slice, int, type(None), type(...))  #: shown, but not told apart
_SCALARS = (int, bool, str, type(None), torch.dtype)
_next_node = torch._C._autograd._get_sequence_nr
_in_transform = torch._C._functorch.peek_interpreter_stack
_tracing = torch._C._get_tracing_state


class GradOff:
    """Who switched autograd off. The event is written only once an operation has run under it."""

    __slots__ = ("event", "how", "stack")

    def __init__(self, how: str, stack: int) -> None:
        self.how, self.stack, self.event = how, stack, -1


class Own(threading.local):
    """What each thread has of its own, as torch has it: grad mode, and the sequence numbers of backward nodes."""

    def __init__(self) -> None:
        self.paused = 0
        self.grad_off: GradOff | None = None
        self.grad_off_before: list[GradOff | None] = []
        self.inside: list[str] = []
        self.backwards = 0  #: calls of backward under way
        self.ends: list[int] = []
        self.indices: list[int] = []


class Recorder:
    """Everything seen so far."""

    def __init__(self, stacks: Stacks, problems: Problems) -> None:
        self.stacks = stacks
        self.problems = problems
        self.values = Values()
        self.params = Parameters(self.values)
        self.kinds: list[t.OpKind] = []
        self.ops: list[t.Op] = []
        self.events: list[t.Event] = []
        self.backwards: list[t.Backward] = []
        self.steps: list[t.Step] = []
        self.probes: list[t.Probe] = []
        self.censuses: list[t.Census] = []
        #: Whether the script has used hooks on saved tensors (checkpoints do): then what is saved must not be unpacked.
        self.saved_hooks = False
        self.suspicious: dict[int, int] = {}
        self.tick = 0
        self.step = 0
        self.passes = 0  #: calls of backward, also where they are not recorded
        self.seen_ops = 0
        self.own = Own()
        self.light = False
        #: Up to when (``time.perf_counter``) a script is followed lightly, and whom to tell when it is past; 0: no limit.
        self.deadline = 0.0
        self.on_late: Callable[[], None] = lambda: None
        self.callers = Callers(stacks)
        #: Names of the torch functions whose calls ``on_call`` is told of.
        self.watched: frozenset[str] = frozenset()
        self.on_call: Callable[[Call], None] = lambda call: None
        #: Told where autograd was switched off, and that it may be on again.
        self.on_grad_off: Callable[[int], None] = lambda stack: None
        self.on_grad_back: Callable[[], None] = lambda: None
        #: False once the observer was taken off: whatever of it is still reachable does nothing any more.
        self.active = True
        self._kinds: dict[Any, int] = {}
        self._merged: dict[Any, tuple[int, set[int]]] = {}
        self.escapes = Escapes()
        self._numbers: dict[int, list[float]] = {}

    # -- values --------------------------------------------------------------------------------------

    def note_of(self, tensor: torch.Tensor) -> Note:
        """The note of an input; a tensor never seen before gets one, a leaf that requires grad gets tracked."""
        note = self.values.get(tensor)
        if note is not None:
            return note
        if (tensor.requires_grad and tensor.is_leaf) or isinstance(tensor, torch.nn.Parameter):
            role = "parameter" if isinstance(tensor, torch.nn.Parameter) else "tensor"
            return self.params.add(tensor, role, -1, self.tick).note
        note = self.values.put(tensor, Note())
        note.origin = t.LOADED
        note.carries = tensor.requires_grad
        self.values.describe(tensor, note)
        made = self.escapes.made(tensor)
        if made is not None:
            name, notes, stack = made
            self.operation(Function(name, Category.IMPORT), ((), {}), notes, [tensor], stack=stack)
            note.imports = (stack,)
        return note

    def inputs(self, args: Iterable[Any]) -> list[Note]:
        """Notes of all tensors among (nested) arguments, and of what was written into their storages since."""
        notes: list[Note] = []
        for tensor in tensors_in(args):
            note = self.note_of(tensor)
            notes.append(note)
            write = self.values.last_write(tensor)
            if write is not None and write[0] is not note and write[1] > note.written:
                notes.append(write[0])
        return notes

    def fresh(self, tensor: torch.Tensor, notes: list[Note], function: Function, stack: int) -> Note:
        """The note of a tensor that a call made out of values with ``notes``."""
        note = Note()
        note.written = self.tick
        origin = function.origin
        for other in notes:
            origin |= other.origin
            if other.param >= 0:
                origin |= t.PARAMETER
        note.origin = origin
        if origin & t.RANDOM and not function.origin & t.RANDOM and self._decided(tensor, notes, function):
            note.origin = origin & ~(t.RANDOM | t.INIT)
        if notes:
            note.imports = merge_imports([n.imports for n in notes])
        note.created = stack
        self.values.describe(tensor, note)
        note.carries = note.requires_grad  # a leaf that was made to require grad
        return self.values.put(tensor, note)

    @staticmethod
    def _decided(tensor: torch.Tensor, notes: list[Note], function: Function) -> bool:
        """Whether random numbers are no initialisation any more: what a comparison or a choice of indices leaves of
        them is a decision, what a sum or a selection leaves is a statistic of data."""
        if not tensor.dtype.is_floating_point or (function.decides and not from_init()):
            return True
        return not tensor.requires_grad and tensor.numel() < max(
            [math.prod(n.shape) for n in notes if n.origin & t.RANDOM], default=0
        )

    def sources(self, note: Note, depth: int = 3) -> set[int]:
        """Parameters that a value was computed from within a few operations."""
        if note.op < 0 or depth == 0:
            return set()
        found: set[int] = set()
        queue = [(v, depth) for v in self.ops[note.op].ins]
        while queue:
            vid, left = queue.pop()
            value = self.values.records[vid]
            if value.param >= 0:
                found.add(value.param)
            elif value.op >= 0 and left > 1:
                queue += [(v, left - 1) for v in self.ops[value.op].ins]
        return found

    # -- operations ----------------------------------------------------------------------------------

    def kind(self, function: Function, stack: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """The interned kind of a call: function, place, plain arguments, and whether autograd was on."""
        plain: tuple[Any, ...] = ()
        if function.name != "__getitem__":
            plain = tuple([(i, a) for i, a in enumerate(args) if isinstance(a, _SCALARS)])
            if kwargs:
                plain += tuple([(k, a) for k, a in kwargs.items() if isinstance(a, _SCALARS)])
        own = self.own
        off = -1 if torch.is_grad_enabled() or own.inside else self._grad_off_event()
        inside = own.inside[-1] if own.inside else ""
        key = (function.name, stack, plain, off, inside)
        index = self._kinds.get(key)
        if index is None:
            index = self._kinds[key] = len(self.kinds)
            shown = {str(k): str(v) for k, v in plain}
            shown |= {str(i): _brief(a) for i, a in enumerate(args) if isinstance(a, _SHOWN)}
            shown |= {k: _brief(a) for k, a in kwargs.items() if isinstance(a, (tuple, list, float))}
            self.kinds.append(t.OpKind(function.name, stack, shown, off, inside))
        return index

    def _grad_off_event(self) -> int:
        off = self.own.grad_off
        if off is None:
            return -2
        if off.event < 0:
            off.event = self.event("grad-off", off.stack, data={"how": off.how})
        return off.event

    def operation(
        self,
        function: Function,
        call: tuple[tuple[Any, ...], dict[str, Any]],
        notes: list[Note],
        results: list[torch.Tensor],
        started: int = -1,
        seconds: float = 0.0,
        stack: int | None = None,
    ) -> int:
        """Record a call whose inputs carry a parameter, or whose results require grad. Returns its index."""
        if stack is None:
            stack = self.stacks.here(_caller())
        self.tick += 1
        index = len(self.ops)
        ins = tuple([self.values.number(n) for n in notes])
        kind = self.kind(function, stack, *call)
        outs = []
        for tensor in results:
            note = self.values.get(tensor)
            if note is None:
                note = self.fresh(tensor, notes, function, stack)
            else:
                note.written = self.tick
                self.values.describe(tensor, note)
            note.carries = True
            outs.append(self.values.renew(note, index))
        ended = _next_node()
        seq = (started, ended) if 0 <= started < ended else (-1, -1)
        if seq[0] >= 0:
            self.own.ends.append(ended)
            self.own.indices.append(index)
        module = self.callers.here(_caller())
        self.ops.append(t.Op(kind, ins, tuple(outs), self.tick, seq, seconds, module))
        return index

    def node_table(self) -> tuple[list[int], list[int]]:
        """Ends of sequence number ranges of this thread, and the operations they belong to."""
        return self.own.ends, self.own.indices

    # -- events --------------------------------------------------------------------------------------

    def event(
        self,
        kind: str,
        stack: int | None = None,
        params: Iterable[int] = (),
        values: Iterable[int] = (),
        optimizer: int = -1,
        data: dict[str, float | str | bool | None] | None = None,
    ) -> int:
        """Record an event, at the present user stack unless one is given. Returns its index."""
        self.tick += 1
        where = self.stacks.here(_caller()) if stack is None else stack
        self.events.append(
            t.Event(self.tick, self.step, kind, where, tuple(params), tuple(values), optimizer, data or {})
        )
        return len(self.events) - 1

    def merged(self, kind: str, param: int, data: dict[str, float | str | bool | None] | None = None) -> None:
        """Record an event of one parameter; the same thing done to many in one place becomes one event."""
        stack = self.stacks.here(_caller())
        key = (kind, stack, self.step, len(self.backwards), str(data))
        known = self._merged.get(key)
        if known is None:
            known = self._merged[key] = (self.event(kind, stack, data=data), set())
        known[1].add(param)

    def finished_events(self) -> list[t.Event]:
        """All events, merged ones with their parameters filled in."""
        events = list(self.events)
        for index, params in self._merged.values():
            e = events[index]
            events[index] = t.Event(
                e.tick, e.step, e.kind, e.stack, tuple(sorted(params)), e.values, e.optimizer, e.data
            )
        return events

    def wrote_parameter(self, entry: Tracked, function: str) -> None:
        """A tracked tensor was written by something other than an optimizer's step."""
        if self.backwards or self.steps:
            self.merged("write", entry.index, {"op": function})
        else:
            entry.written = self.stacks.here(_caller())
            entry.written_by = function

    def overwrote(self, tensor: torch.Tensor, note: Note, function: str) -> None:
        """A write in place that is no operation of its own: only told of where an operation has used what was there."""
        base = self.values.get(tensor._base) if tensor._base is not None else None
        for known in (note, base):
            if known is not None and known.vid >= 0:
                self.event("overwrite", values=[known.vid], data={"op": function})

    def entered(self, stack: int) -> None:
        """Numbers became a tensor after others had left: noted once a place and iteration, at its last time."""
        key = ("import", stack, self.step, len(self.backwards), "")
        known = self._merged.get(key)
        if known is None:
            self._merged[key] = (self.event("import", stack), set())
        else:
            self.tick += 1
            self.events[known[0]] = msgspec.structs.replace(self.events[known[0]], tick=self.tick)

    def returned(self, args: tuple[Any, ...]) -> None:
        """Numbers are arguments of an operation, after others have left torch: are they the same ones, or at least not
        the same in every iteration (and so, perhaps, computed from them)?"""
        for note in self.escapes.returning(args):
            self.event("return", values=[self.values.number(note)])
        stack = self.stacks.here(_caller())
        numbers = [a for a in args if type(a) is float]
        if self._numbers.setdefault(stack, numbers) != numbers:
            self.entered(stack)

    def escaped(self, note: Note, how: str, number: object) -> None:
        """A value that carries a parameter left torch as Python numbers."""
        event = self.event("escape", values=[self.values.number(note)], data={"how": how})
        self.escapes.left(note, how, number, self.events[event].stack)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Record no operations inside (whygrad's own work, an optimizer's arithmetic)."""
        own = self.own
        own.paused += 1
        try:
            yield
        finally:
            own.paused -= 1


def tensors_in(values: Iterable[Any], depth: int = 3) -> list[torch.Tensor]:
    """All tensors in nested tuples, lists and dicts."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif depth and isinstance(value, (tuple, list)):
            found.extend(tensors_in(value, depth - 1))
        elif depth and isinstance(value, dict):
            found.extend(tensors_in(value.values(), depth - 1))
    return found


def unfollowed(problems: Problems) -> bool:
    """Whether what runs now is no computation on real tensors: a transform's or a tracer's, whose stand-ins must be left
    alone (to ask one for its shape would be written into the traced graph)."""
    if _in_transform() is not None:
        problems.unseen("functional transforms (torch.func, vmap) are not followed inside")
        return True
    return _tracing() is not None


def from_init() -> bool:
    """Whether the present call comes out of ``torch.nn.init`` (made for what is to be learned)."""
    frame: FrameType | None = sys._getframe(4)
    for _ in range(8):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith(("nn/init.py", "nn\\init.py")):
            return True
        frame = frame.f_back
    return False


def _brief(value: object) -> str:
    text = "..." if tensors_in([value]) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _caller() -> FrameType:
    """The frame to start a stack walk from: whygrad's own frames above it are skipped anyway."""
    return sys._getframe(2)


__all__ = ["Category", "GradOff", "Recorder", "from_init", "tensors_in", "unfollowed"]
