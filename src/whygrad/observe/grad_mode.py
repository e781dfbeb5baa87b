"""Who switched autograd off: blocks, decorators and plain calls of ``set_grad_enabled``."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from whygrad.observe.recorder import GradOff, Recorder

_OBSERVER = str(Path(__file__).parent)


def before(recorder: Recorder, args: tuple[Any, ...]) -> None:
    """Called just before ``torch._C._set_grad_enabled(value)`` takes effect."""
    wanted = bool(args[0]) if args else True
    was = torch.is_grad_enabled()
    caller = _caller()
    frames = _torch_frames(caller)
    names = {f.f_code.co_name for f in frames}
    if "__exit__" in names:
        leave(recorder)
        return
    if "__enter__" in names:
        recorder.own.grad_off_before.append(recorder.own.grad_off)
    if wanted:
        recorder.own.grad_off = None
        recorder.on_grad_back()
    elif was:
        how = "no_grad" if "__enter__" in names else "set_grad_enabled"
        recorder.own.grad_off = _cause(recorder, frames, how, caller)
        recorder.on_grad_off(recorder.own.grad_off.stack)


def enter_inference(recorder: Recorder, context: Any) -> None:
    """Called just before ``torch.inference_mode()`` takes effect (it makes no call that a mode could see)."""
    frame = _caller()
    recorder.own.grad_off_before.append(recorder.own.grad_off)
    if torch.is_grad_enabled() and getattr(context, "mode", True):
        recorder.own.grad_off = _cause(recorder, _torch_frames(frame), "inference_mode", frame)
        recorder.on_grad_off(recorder.own.grad_off.stack)


def leave(recorder: Recorder) -> None:
    """A block ended: whoever was responsible before it is so again."""
    saved = recorder.own.grad_off_before
    recorder.own.grad_off = saved.pop() if saved else None
    recorder.on_grad_back()


def _caller() -> FrameType:
    """The frame outside whygrad from which the present call came."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_OBSERVER) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _torch_frames(frame: FrameType | None) -> list[FrameType]:
    """The frames of torch's grad-mode machinery between the user and the call, innermost first."""
    found = []
    while frame is not None and frame.f_code.co_filename.endswith(("grad_mode.py", "_contextlib.py")):
        found.append(frame)
        frame = frame.f_back
    return found


def _cause(recorder: Recorder, frames: list[FrameType], how: str, user: FrameType) -> GradOff:
    for frame in frames:
        if frame.f_code.co_name == "decorate_context":
            # the wrapper's frame belongs to no line of the user's: name the decorated function instead
            code = getattr(frame.f_locals.get("func"), "__code__", None)
            stack = recorder.stacks.here(frame)
            if code is not None and recorder.stacks.is_user(code):
                own = recorder.stacks.stacks[stack] if stack >= 0 else ()
                stack = recorder.stacks.intern((recorder.stacks.code_frame(code), *own))
            return GradOff(f"decorator @{how}", stack)
    return GradOff(how, recorder.stacks.here(user))
