"""What is known of an exception: the torch call that raised it, the tensors it was given, and where they were made.

Nothing is gathered before something is raised.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.names import Function
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in, unfollowed
from whygrad.observe.values import Note

if TYPE_CHECKING:
    from whygrad.observe.optimizers import Optimizers

_TENSORS = 12  #: tensors described of one call
_INDICES = 10_000_000  #: an index tensor up to this size is read for its range
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_SIGNATURE = re.compile(r"^\s*\w+\((.*?)\)\s*(?:->|$)", re.MULTILINE)


class Failure:
    """A call that raised."""

    __slots__ = ("args", "call", "message", "saver", "tensors", "type")

    def __init__(self, error: BaseException, call: str) -> None:
        self.type, self.message, self.call = type(error).__name__, str(error), call
        self.tensors: tuple[t.Given, ...] = ()
        self.args: dict[str, str] = {}
        self.saver = -1

    def is_of(self, error: BaseException) -> bool:
        """Whether it is the failure that ``error`` tells of."""
        return (self.type, self.message) == (type(error).__name__, str(error))


class Raising:
    """Remembers the last call of torch that raised, and tells at the end what the script's exception came from."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems: Problems = recorder.problems
        self._last: Failure | None = None

    @guarded("a call that raised", None)
    def call(
        self,
        function: Function,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        error: Exception,
    ) -> None:
        """A torch call raised ``error``."""
        if unfollowed(self.problems):
            return
        failure = Failure(error, function.name.removeprefix("torch."))
        with Quiet():
            named = [*zip(_names(func, len(args)), args, strict=False), *kwargs.items()]
            failure.tensors = tuple(self._given(named))
            failure.args = {n: _brief(a) for n, a in named if not tensors_in([a])}
        self._last = failure

    @guarded("a backward pass that raised", None)
    def backward(self, error: Exception, saver: int) -> None:
        """A backward pass raised ``error``; ``saver`` is the operation whose saved tensor had been modified."""
        if self._last is None or not self._last.is_of(error):
            self._last = Failure(error, "backward")
        self._last.saver = saver

    @guarded("the exception that ended the script", None)
    def raised(self, error: BaseException | None, optimizers: Optimizers) -> t.Raised | None:
        """The exception that ended the script, with what is known of it."""
        if error is None:
            return None
        stacks, frames, inner = self.recorder.stacks, [], list[FrameType]()
        for link in _links(error.__traceback__):
            own = stacks.at(link.tb_frame.f_code, link.tb_lasti, link.tb_lineno)
            frames.append(own)
            inner = [] if own >= 0 else [*inner, link.tb_frame]
        stack = stacks.intern(tuple([f for f in reversed(frames) if f >= 0]))
        last = self._last
        if last is None or not last.is_of(error):
            last = (self._by_frames(error, inner) if _in_torch(inner) else None) or Failure(error, "")
        optimizer = _optimizer(inner, optimizers) if last is not None else -1
        return t.Raised(
            last.type, last.message, stack, last.call, last.tensors, last.args, optimizer, last.saver
        )

    @guarded("the frames of an exception", None)
    def _by_frames(self, error: BaseException, inner: list[FrameType]) -> Failure | None:
        """What the variables of torch's own frames tell, where no torch function raised: an optimizer's constructor, a
        module that checks what it is given."""
        failure = Failure(error, "")
        with Quiet():
            for frame in reversed(inner):
                names = dict(frame.f_locals)
                owner = names.pop("self", None)
                kind = f"{type(owner).__name__}." if owner is not None else ""
                failure.call = failure.call or f"{kind}{frame.f_code.co_name}"
                if isinstance(owner, torch.nn.Module):
                    names.update({f"{type(owner).__name__}.{n}": p for n, p in owner.named_parameters()})
                failure.tensors = tuple(self._given(list(names.items())))
                if failure.tensors:
                    break
        return failure

    def _given(self, named: list[tuple[str, Any]]) -> Iterator[t.Given]:
        found = [(name, tensor) for name, value in named for tensor in tensors_in([value])]
        for name, tensor in found[:_TENSORS]:
            note = self.recorder.note_of(tensor)
            entry = self.recorder.params.find(tensor)
            low, high = note.range or _range(tensor)
            yield t.Given(
                name,
                self.recorder.values.number(note),
                -1 if entry is None else entry.index,
                tuple(tensor.shape),
                str(tensor.dtype).removeprefix("torch."),
                str(tensor.device),
                tensor.requires_grad,
                note.leaf,
                entry.created if entry is not None and entry.created >= 0 else note.created,
                low,
                high,
            )


def _links(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _in_torch(inner: list[FrameType]) -> bool:
    """Whether torch's own code raised, not another library's."""
    return bool(inner) and str(inner[-1].f_globals.get("__name__", "")).partition(".")[0] == "torch"


def _optimizer(inner: list[FrameType], optimizers: Optimizers) -> int:
    """The optimizer that torch was at work on."""
    for frame in reversed(inner):
        for value in (frame.f_locals.get("optimizer"), frame.f_locals.get("self")):
            if isinstance(value, torch.optim.Optimizer):
                return next((k.index for k in optimizers.known if k.ref() is value), -1)
    return -1


def _names(func: Callable[..., Any], count: int) -> list[str]:
    """Names of the first arguments of a torch function: from its signature, else from the first line of its page."""
    names: list[str] = []
    try:
        names = list(inspect.signature(func).parameters)
    except (TypeError, ValueError):
        page = _SIGNATURE.search(getattr(func, "__doc__", None) or "")
        parts = page.group(1).split(",") if page else []
        names = [n for p in parts if (n := p.split("=")[0].strip()).isidentifier()]
        if hasattr(func, "__objclass__"):
            names.insert(0, "self")
    return [*names, *(f"argument {i + 1}" for i in range(len(names), count))][:count]


def _range(tensor: torch.Tensor) -> tuple[float | None, float | None]:
    """Least and greatest element of an integer tensor on the CPU."""
    readable = tensor.device.type == "cpu" and tensor.layout is torch.strided
    if not readable or tensor.dtype not in _INTEGERS or not 0 < tensor.numel() <= _INDICES:
        return None, None
    low, high = torch.aminmax(tensor)
    return float(low), float(high)


def range_elsewhere(args: tuple[Any, ...], notes: list[Note]) -> tuple[float, float] | None:
    """The range of integers that an operation made on another device, for the time when that device has failed and can't
    be asked any more: read where they leave the CPU, or that of what they were taken from."""
    source = args[0] if args else None
    if not isinstance(source, torch.Tensor) or not notes:
        return None
    if not source.is_cpu:
        return notes[0].range if len(notes) == 1 else None
    low, high = _range(source)
    return None if low is None or high is None else (low, high)


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
