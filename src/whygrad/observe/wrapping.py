"""DistributedDataParallel: what it wraps, what goes past it, and where it loses hold of a parameter.

Its reducer hears of a gradient through a hook on the AccumulateGrad node of the parameter, a node that autograd makes anew
when the parameter's data get another dtype or device. Whether the node is still the same is told by a mark in its
``metadata``, which lives in the node and keeps nothing alive.
"""

from __future__ import annotations

import sys
import threading
import weakref
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge
from torch.nn.parallel import DistributedDataParallel

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder
from whygrad.observe.running import tree

_PLACES = 12  #: places of each kind that are noted
_DEPTH = 80
_MARK = "whygrad.synchronised"
_OPTIONS = ("find_unused_parameters", "broadcast_buffers", "gradient_as_bucket_view", "static_graph")
_CALL = torch.nn.Module._call_impl.__code__


class Wrapped:
    """One wrapper, held weakly."""

    def __init__(self, ddp: Any, number: int, stack: int, tick: int) -> None:
        self.ref, self.module = weakref.ref(ddp), weakref.ref(ddp.module)
        self.number, self.created, self.tick = number, stack, tick
        self.world = int(ddp.process_group.size())
        self.options = {name: bool(getattr(ddp, name, False)) for name in _OPTIONS}
        self.params: dict[int, weakref.ref[torch.Tensor]] = {}
        self.ignored: tuple[int, ...] = ()
        self.forwards = self.synced = self.silent = 0
        self.went_past = False
        self.prepared: list[t.Prepared] = []
        self.past: dict[int, list[int]] = {}
        self.retyped: list[t.Retyped] = []
        self.silenced: list[int] = []
        self.hook = -1
        self.joined = False
        self.codes: set[CodeType] = set()
        self.tree: set[int] = set()

    def unhooked(self) -> tuple[int, ...]:
        """Trainable parameters whose AccumulateGrad node is not the one that the hooks were put on."""
        lost = []
        for index, ref in self.params.items():
            parameter = ref()
            if parameter is None or not parameter.requires_grad:
                continue
            if _marks(parameter).get(_MARK) != self.number:
                lost.append(index)
        return tuple(lost)


class _Inside(threading.local):
    """How deep a thread is in the forward pass of a wrapper, and in a call that converts modules."""

    paused = 0

    def __init__(self) -> None:
        self.forward = 0


class Wrappers:
    """All of them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.all: list[Wrapped] = []
        self._inside = _Inside()
        self._owner: dict[int, Wrapped] = {}

    def install(self, patches: Patches) -> None:
        """Hear of their construction, their calls, and of what modules are converted by."""
        ddp = DistributedDataParallel
        patches.around(ddp, "__init__", after=self._made)
        patches.around(ddp, "forward", before=self._forward, after=self._forwarded)
        patches.around(ddp, "no_sync", before=self._silenced)
        patches.around(ddp, "register_comm_hook", before=self._comm_hook)
        patches.around(ddp, "join", before=self._joined)
        patches.around(torch.nn.Module, "_apply", after=self._converted, pausing=self._inside)

    def of(self, ddp: Any) -> Wrapped | None:
        """The entry of a wrapper."""
        return next((one for one in self.all if one.ref() is ddp), None)

    # -- what is told --------------------------------------------------------------------------------

    @guarded("the construction of a DistributedDataParallel", None)
    def _made(self, token: Any, result: Any, ddp: Any, *args: Any, **kwargs: Any) -> None:
        recorder = self.recorder
        recorder.tick += 1
        one = Wrapped(ddp, len(self.all), recorder.stacks.here(), recorder.tick)
        ignored = getattr(ddp, "parameters_to_ignore", ())
        left = []
        with Quiet():
            for name, parameter in ddp.module.named_parameters():
                if not parameter.requires_grad:
                    continue
                entry = recorder.params.add(parameter, "parameter", -1, recorder.tick)
                if name in ignored:
                    left.append(entry.index)
                    continue
                one.params[entry.index] = weakref.ref(parameter)
                _marks(parameter)[_MARK] = one.number
                self._owner[entry.index] = one
        one.ignored = tuple(left)
        parts = tree(ddp.module)
        one.tree = {id(m) for m in parts}
        one.codes = {code for m in parts for code in _methods(type(m))}
        self.all.append(one)

    @guarded("a forward pass of a DistributedDataParallel", False)
    def _forward(self, ddp: Any, *args: Any, **kwargs: Any) -> bool:
        self._inside.forward += 1
        one = self.of(ddp)
        if one is not None and torch.is_grad_enabled():
            one.forwards += 1
            if getattr(ddp, "require_backward_grad_sync", True):
                one.synced += 1
            else:
                one.silent += 1
        return True

    @guarded("a forward pass of a DistributedDataParallel", None)
    def _forwarded(self, token: Any, result: Any, ddp: Any, *args: Any, **kwargs: Any) -> None:
        self._inside.forward = max(0, self._inside.forward - 1)

    @guarded("no_sync", None)
    def _silenced(self, ddp: Any, *args: Any, **kwargs: Any) -> None:
        one, stack = self.of(ddp), self.recorder.stacks.here()
        if one is not None and stack not in one.silenced and len(one.silenced) < _PLACES:
            one.silenced.append(stack)

    @guarded("a communication hook", None)
    def _comm_hook(self, ddp: Any, *args: Any, **kwargs: Any) -> None:
        one = self.of(ddp)
        if one is not None:
            one.hook = self.recorder.stacks.here()

    @guarded("join", None)
    def _joined(self, ddp: Any, *args: Any, **kwargs: Any) -> None:
        one = self.of(ddp)
        if one is not None:
            one.joined = True

    @guarded("the conversion of a module", None)
    def _converted(self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        if not self._inside.paused:
            self._lose(module)

    def _lose(self, module: torch.nn.Module) -> None:
        """Note the wrappers that have lost hold of parameters by what was done to ``module``."""
        below: list[torch.nn.Module] | None = None
        for one in self.all:
            inner = one.module()
            if inner is None or len(one.retyped) >= _PLACES:
                continue
            if module is not one.ref() and id(module) not in one.tree:
                below = tree(module) if below is None else below
                if not any(m is inner for m in below):
                    continue
            known = {p for r in one.retyped for p in r.params}
            with Quiet():
                lost = [p for p in one.unhooked() if p not in known]
            if lost:
                self.recorder.tick += 1
                one.retyped.append(t.Retyped(self.recorder.stacks.here(), self.recorder.tick, tuple(lost)))

    # -- operations ----------------------------------------------------------------------------------

    def called(self, call: Call) -> None:
        """An operation has taken something: is it a wrapped parameter, outside of the wrapper's forward pass?"""
        recorder = self.recorder
        if not self.all or self._inside.forward or recorder.own.backwards or not torch.is_grad_enabled():
            return
        one = next((o for n in call.notes if n.param >= 0 and (o := self._owner.get(n.param))), None)
        if one is None or one.ref() is None or call.op < 0 or not _differentiable(call.result):
            return
        one.went_past = True
        inner = recorder.kinds[recorder.ops[call.op].kind].stack
        if inner in one.past:
            one.past[inner][2] += 1
        elif len(one.past) < _PLACES:
            stack = recorder.stacks.here(self._caller(one, sys._getframe(1)))
            one.past[inner] = [stack, len(recorder.backwards), 1]

    @staticmethod
    def _caller(one: Wrapped, frame: FrameType | None) -> FrameType | None:
        """The frame that called the wrapped module, or a method of it or of a part of it."""
        outside, depth = frame, 0
        while frame is not None and depth < _DEPTH:
            code = frame.f_code
            ours = code in one.codes or (code is _CALL and id(frame.f_locals.get("self")) in one.tree)
            frame, depth = frame.f_back, depth + 1
            if ours:
                outside = frame
        return outside

    # -- moments -------------------------------------------------------------------------------------

    def backward(self, reached: tuple[int, ...]) -> None:
        """A backward pass is over: what did each wrapper know of it?"""
        found = set(reached)
        self._inside.forward = 0  # one that raised has not been heard of again
        for one in self.all:
            if one.ref() is None or found.isdisjoint(one.params.keys() | self._unknown(one)):
                continue
            with Quiet():
                unhooked = tuple(p for p in one.unhooked() if p in found)
            number = len(self.recorder.backwards) - 1
            unknown = tuple(sorted(self._unknown(one) & found))
            one.prepared.append(t.Prepared(number, one.synced, one.silent, one.went_past, unhooked, unknown))
            one.synced = one.silent = 0
            one.went_past = False

    def _unknown(self, one: Wrapped) -> set[int]:
        """Trainable parameters that the module has now and the wrapper has never heard of."""
        module = one.module()
        found: set[int] = set()
        if module is None:
            return found
        for part in tree(module):
            for parameter in part._parameters.values():
                if parameter is not None and parameter.requires_grad:
                    entry = self.recorder.params.find(parameter)
                    if entry is not None and entry.index not in one.params and entry.index not in one.ignored:
                        found.add(entry.index)
        return found

    def remove(self) -> None:
        """Take the marks off."""
        for one in self.all:
            for ref in one.params.values():
                parameter = ref()
                if parameter is not None and parameter.requires_grad:
                    _marks(parameter).pop(_MARK, None)

    def records(self, flags: tuple[int, ...], joined: bool) -> tuple[t.Wrapper, ...]:
        """For the trace; ``flags``: lines that set the flag behind ``no_sync``; ``joined``: a ``Join`` was made."""
        return tuple([_record(one, flags, joined) for one in self.all])


def _record(one: Wrapped, flags: tuple[int, ...], joined: bool) -> t.Wrapper:
    return t.Wrapper(
        kind="DistributedDataParallel",
        created=one.created,
        tick=one.tick,
        world=one.world,
        options=one.options,
        params=tuple(one.params),
        ignored=one.ignored,
        forwards=one.forwards,
        prepared=tuple(one.prepared),
        past=tuple([t.Past(s, inner, b, n) for inner, (s, b, n) in one.past.items()]),
        retyped=tuple(one.retyped),
        silenced=(*one.silenced, *flags),
        hook=one.hook,
        joined=one.joined or joined,
    )


def _marks(parameter: torch.Tensor) -> dict[str, int]:
    """What is written on the node that accumulates a parameter's gradient."""
    marks: Any = get_gradient_edge(parameter).node.metadata
    found: dict[str, int] = marks
    return found


def _methods(kind: type) -> set[CodeType]:
    """The code of all methods of a class and its bases, but for torch's own."""
    return {
        f.__code__
        for base in kind.__mro__
        if not base.__module__.startswith("torch.")
        for f in vars(base).values()
        if type(f) is FunctionType
    }


def _differentiable(result: Any) -> bool:
    first = result[0] if type(result) is tuple and result else result
    return issubclass(type(first), torch.Tensor) and bool(first.requires_grad)
