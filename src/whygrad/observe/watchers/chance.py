"""Random numbers, seen from the state of the generator that they leave behind, and seeds that are set.

Where the same place leaves the same state time after time, it draws the same numbers. A state is a few kilobytes on the
CPU, whatever the device, so that nothing waits.
"""

from __future__ import annotations

import ast
import hashlib
import random
import sys
import zlib
from typing import Any

import msgspec
import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.definitions import function_of, place
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.seeding import seeding_lines
from whygrad.observe.watcher import Watcher

_DRAWS, _RESEEDS = 1500, 400
_PLACES = 12  #: draws noted for one place and backward pass
_NOISE = frozenset({
    "rand", "randn", "rand_like", "randn_like", "normal", "normal_", "uniform_", "bernoulli", "bernoulli_", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "gumbel_softmax", "exponential_",
})  # fmt: skip
_CHOICES = frozenset({"randint", "randperm", "multinomial", "random_", "randint_like"})
_DROPOUTS = frozenset(
    {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}
)


class Watch(Watcher):
    """Keeps a hash of each state."""

    names = _NOISE | _CHOICES

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._draws: list[t.Draw] = []
        self._reseeds: list[t.Reseed] = []
        self._states: dict[int, int] = {}
        self._seeds: dict[int, int] = {}
        self._times: dict[tuple[int, int], int] = {}
        self._restores = 0

    def install(self, patches: Patches) -> None:
        """Hear of seeds that are set."""
        patches.around(torch, "manual_seed", after=self._torch_seed)
        patches.set(torch.random, "manual_seed", torch.manual_seed)
        for owner in (torch, torch.random):
            patches.around(owner, "set_rng_state", after=self._restored)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            patches.around(numpy.random, "seed", after=self._numpy_seed)
        patches.around(random, "seed", after=self._python_seed)

    @guarded("a seed", None)
    def _torch_seed(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        self._seeded("torch.manual_seed", args or tuple(kwargs.values()))

    @guarded("a seed", None)
    def _numpy_seed(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        self._seeded("numpy.random.seed", args or tuple(kwargs.values()))

    @guarded("a seed", None)
    def _python_seed(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        self._seeded("random.seed", args or tuple(kwargs.values()))

    def _seeded(self, how: str, args: tuple[Any, ...]) -> None:
        recorder = self.recorder
        if len(self._reseeds) >= _RESEEDS or recorder.light or recorder.own.paused or not args:
            return
        if type(args[0]) is not int:
            return
        seed = self._seeds.setdefault(hash((how, args[0])), len(self._seeds))
        recorder.tick += 1
        stack = recorder.stacks.here()
        digest = zlib.crc32(f"{how} {args[0]}".encode())
        self._reseeds.append(t.Reseed(how, stack, len(recorder.backwards), recorder.tick, seed, digest))

    @guarded("a state of random numbers", None)
    def _restored(self, token: Any, result: Any, *args: Any, **kwargs: Any) -> None:
        if not self.recorder.light:
            self._restores += 1

    def called(self, call: Call) -> None:
        """Something random has returned."""
        if len(self._draws) >= _DRAWS or not torch.is_grad_enabled():
            return
        name, recorder = call.function.name, self.recorder
        if name in _DROPOUTS and not (call.argument(2, "training", True) and call.argument(1, "p", 0.5)):
            return
        if name.endswith("_") and call.notes and call.notes[0].param >= 0:
            return  # an initialisation
        stack = recorder.kinds[recorder.ops[call.op].kind].stack if call.op >= 0 else recorder.stacks.here()
        key = (stack, len(recorder.backwards))
        self._times[key] = self._times.get(key, 0) + 1
        if self._times[key] > _PLACES or stack < 0:
            return
        generator = call.kwargs.get("generator")
        state = _state(generator, call.result)
        if state is not None:
            number = self._states.setdefault(state, len(self._states))
            made = (name, stack, key[1], recorder.tick, number, generator is not None, name in _CHOICES)
            count = call.result.numel() if isinstance(call.result, torch.Tensor) else 0
            self._draws.append(t.Draw(*made, digest=state, count=count))

    def window_ends(self) -> None:
        """What is read from the source now still gets its places into the trace."""
        self.facts()

    def facts(self) -> dict[str, Any]:
        """All of it."""
        own = {d.stack for d in self._draws if d.own and d.whole}
        places = {stack: remade(self.recorder.stacks, stack) for stack in own}
        draws = [msgspec.structs.replace(d, remade=places.get(d.stack, ())) for d in self._draws]
        return {"chance": t.Chance(tuple(draws), tuple(self._reseeds), self._restores)}


def _state(generator: Any, result: Any) -> int | None:
    """A hash of the state of the generator that made ``result``."""
    if type(generator) is torch.Generator:
        own = generator
    elif isinstance(result, torch.Tensor) and result.is_cuda and torch.cuda.is_initialized():
        own = torch.cuda.default_generators[result.device.index or 0]
    elif isinstance(result, torch.Tensor) and result.is_cpu:
        own = torch.default_generator
    else:
        return None
    # not hash(), which has a secret of its own in every process: states of several ranks are compared
    return int.from_bytes(hashlib.blake2b(own.get_state().numpy().tobytes(), digest_size=7).digest(), "big")


def remade(stacks: Any, stack: int) -> tuple[int, ...]:
    """Lines in the loops around a place (or in its function) that make a generator anew or set its seed."""
    code, line = stacks.place_of(stacks.stacks[stack][0])
    scope = stacks.trees[code.co_filename] if code.co_name == "<module>" else function_of(stacks, code)
    loops = [
        n
        for n in (ast.walk(scope) if scope is not None else ())
        if isinstance(n, (ast.For, ast.While)) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    found = seeding_lines(loops[0] if loops else scope)
    return tuple(place(stacks, code, n) for n in found if n <= line)
