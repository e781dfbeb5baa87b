"""The function mode: sees every Python-level torch call of its thread and hands it to the recorder.

It runs the call exactly as it came and returns exactly what came back; everything else happens in guarded
methods after (or, for what must be known earlier, before) the call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad.observe.backward import Backwards
from whygrad.observe.call import Args, Kwargs
from whygrad.observe.handlers import Handler
from whygrad.observe.names import Category
from whygrad.observe.recorder import Recorder

_next_node = torch._C._autograd._get_sequence_nr
#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None


class Watch(TorchFunctionMode):
    """The mode itself: one object a thread, all sharing one recorder."""

    def __init__(self, recorder: Recorder, backwards: Backwards) -> None:
        super().__init__()
        self.handler = Handler(recorder, backwards)
        #: The observation that this is part of.
        self.seen_by: Callable[[], Any] = lambda: None

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
            if recorder.deadline and not recorder.own.paused and time.perf_counter() > recorder.deadline:
                recorder.on_late()  # a long validation must not keep a script that is only followed
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
