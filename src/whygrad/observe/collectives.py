"""Collective operations of torch.distributed that the script calls: what of the model they move, and from which line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.stats import gradient_of
from whygrad.observe.values import Values

#: Functions in which every rank of a group must take part.
NAMES = (
    "all_reduce", "all_reduce_coalesced", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "gather",
    "scatter", "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "barrier",
    "monitored_barrier", "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
    "all_gather_coalesced",
)  # fmt: skip
_MOST = 2000  #: calls that are kept
_TENSORS = 64  #: of one call


class _Inside(threading.local):
    """How deep a thread is in such a call: some are made of others."""

    paused = 0


class Collectives:
    """The calls so far. ``calls`` counts them all."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.all: list[list[Any]] = []
        self.calls = 0
        self.joined = False
        self._inside = _Inside()
        self._memory: tuple[tuple[int, int], dict[int, tuple[str, int]]] = ((-1, -1), {})

    def install(self, patches: Patches) -> None:
        """Hear of them, under both names that torch has for each."""
        for name in NAMES:
            original = getattr(dist, name, None)
            if original is None:
                continue
            patches.around(dist, name, before=self._begins(name), after=self._over, pausing=self._inside)
            home = dist.distributed_c10d
            if getattr(home, name, None) is original:
                patches.set(home, name, getattr(dist, name))
        patches.around(Join, "__init__", after=self._join)

    @guarded("a Join", None)
    def _join(self, *args: Any, **kwargs: Any) -> None:
        self.joined = True

    def _begins(self, name: str) -> Callable[..., Any]:
        def before(*args: Any, **kwargs: Any) -> Any:
            return self._note(name, args, kwargs)

        return before

    @guarded("a collective operation", None)
    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        recorder = self.recorder
        if self._inside.paused or not recorder.active:
            return None
        self.calls += 1
        if len(self.all) >= _MOST:
            return None
        recorder.tick += 1
        found = tensors_in([*args, *kwargs.values()])[:_TENSORS]
        with Quiet():
            what, params = self._what(found)
            count = sum(x.numel() for x in found)
        op = kwargs.get(
            "op", next((a for a in args if "ReduceOp" in type(a).__name__ or "RedOp" in repr(type(a))), None)
        )
        reduces = "reduce" in name
        group = kwargs.get("group", next((a for a in args if isinstance(a, dist.ProcessGroup)), None))
        source = kwargs.get("src", args[1] if name == "broadcast" and len(args) > 1 else -1)
        call = [
            name, recorder.stacks.here(), recorder.tick, recorder.step, len(recorder.backwards), _size(group), what, count,
            params, _word(op) if reduces else "", False, source if type(source) is int else -1,
        ]  # fmt: skip
        self.all.append(call)
        return call

    @guarded("a collective operation", None)
    def _over(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        if token is not None:
            token[10] = True

    def _what(self, tensors: list[torch.Tensor]) -> tuple[str, tuple[int, ...]]:
        """Whether memory of the model is given, of which parameters; or as many flat numbers as all gradients are."""
        if not tensors:
            return "other", ()
        known = self._of_the_model()
        hits = [known[p] for x in tensors if (p := Values.pointer(x)) in known]
        if hits:
            return hits[0][0], tuple(dict.fromkeys(index for kind, index in hits if kind == hits[0][0]))
        total = sum(x.numel() for x in tensors)
        gradients = [index for kind, index in known.values() if kind == "gradient"]
        entries = self.recorder.params.entries
        flat = all(x.dim() == 1 for x in tensors)
        if gradients and flat and total == sum(_numel(entries[i].shape) for i in gradients):
            return "like", tuple(gradients)
        return ("number" if total == 1 else "other"), ()

    def _of_the_model(self) -> dict[int, tuple[str, int]]:
        """Address -> what is there. Looked up anew whenever gradients may have come or gone."""
        recorder = self.recorder
        moment = (len(recorder.backwards) + recorder.passes, recorder.step)
        if self._memory[0] != moment:
            found: dict[int, tuple[str, int]] = {}
            for entry in recorder.params.entries:
                tensor = entry.ref()
                if tensor is None:
                    continue
                found[Values.pointer(tensor)] = (
                    "buffer" if entry.role == "buffer" else "parameter",
                    entry.index,
                )
                gradient = gradient_of(tensor)
                if gradient is not None:
                    found[Values.pointer(gradient)] = ("gradient", entry.index)
            found.pop(0, None)
            self._memory = moment, found
        return self._memory[1]

    def records(self) -> tuple[t.Collective, ...]:
        """For the trace."""
        return tuple([t.Collective(*call) for call in self.all])


def _numel(shape: tuple[int, ...]) -> int:
    return int(torch.Size(shape).numel())


def _size(group: Any) -> int:
    try:
        return int(dist.get_world_size(group))
    except Exception:
        return -1


def _word(op: Any) -> str:
    """``sum``, ``avg``, ...: the reduction, a sum where none was named."""
    return "sum" if op is None else str(op).rpartition(".")[2].lower()
