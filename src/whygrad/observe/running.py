"""Which modules are running now, and what lies below a module."""

from __future__ import annotations

from types import FrameType

import torch

_DEPTH = 80  #: frames that are searched
_CALL = torch.nn.Module._call_impl.__code__


def owner(frame: FrameType | None) -> torch.nn.Module | None:
    """The innermost module that is running."""
    return next(iter(chain(frame)), None)


def chain(frame: FrameType | None) -> list[torch.nn.Module]:
    """The modules that are running, by the ``self`` of their methods, innermost first.

    Only what a module's call has begun is looked at: to ask a frame for its variables keeps them alive for as long as
    it runs, which for a loop of the user's may be the whole training."""
    frames: list[FrameType] = []
    begun = 0
    while frame is not None and len(frames) < _DEPTH:
        frames.append(frame)
        if frame.f_code is _CALL:
            begun = len(frames)
        frame = frame.f_back
    found: list[torch.nn.Module] = []
    for one in frames[:begun]:
        if one.f_code.co_varnames[:1] == ("self",):
            module = one.f_locals.get("self")
            if issubclass(type(module), torch.nn.Module) and not any(module is other for other in found):
                found.append(module)  # type: ignore[arg-type]
    return found


def tree(module: torch.nn.Module) -> list[torch.nn.Module]:
    """A module and all below it, without a call of anything that a user may have overridden."""
    found: dict[int, torch.nn.Module] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found[id(one)] = one
            waiting += [m for m in one.__dict__.get("_modules", {}).values() if m is not None]
    return list(found.values())
