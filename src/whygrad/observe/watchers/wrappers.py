"""Wrappers that must be updated before they are any good: averaged copies, spectral norms, fake quantisers."""

from __future__ import annotations

import ast
import sys
import weakref
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing, plain
from whygrad.observe.watcher import Watcher

_LOOKS = 3  #: uses of one wrapper that are measured
_ITERATIONS = 30  #: of the power method: its ratio is then known to a few percent, which is enough here
_QUANTISERS = ("FakeQuantize", "FusedMovingAvgObsFakeQuantize")


class _Wrapper:
    """One of them, held weakly."""

    def __init__(self, kind: str, thing: Any, created: int) -> None:
        self.kind, self.ref, self.created = kind, weakref.ref(thing), created
        self.updates = self.looks = self.steps = 0
        self.used = -1
        self.measured: torch.Tensor | None = None


class Watch(Watcher):
    """Hears of their updates and uses, also while the script is only followed."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._all: dict[int, _Wrapper] = {}
        self._done: list[_Wrapper] = []

    def install(self, patches: Patches) -> None:
        """The methods of torch's own wrappers."""
        patches.around(AveragedModel, "__init__", after=self._averages)
        patches.around(AveragedModel, "update_parameters", before=self._updated)
        patches.around(AveragedModel, "forward", before=self._average_used)
        norms = sys.modules.get("torch.nn.utils.spectral_norm")
        if norms is not None:
            patches.around(norms.SpectralNorm, "compute_weight", before=self._divides)
        quantise = sys.modules.get("torch.ao.quantization.fake_quantize")
        for name in _QUANTISERS if quantise is not None else ():
            patches.around(getattr(quantise, name), "forward", before=self._quantises)

    def _of(self, kind: str, thing: Any, created: int = -1) -> _Wrapper:
        known = self._all.get(id(thing))
        if known is None or known.ref() is not thing:
            if known is not None:
                self._done.append(known)
            known = self._all[id(thing)] = _Wrapper(kind, thing, created)
        return known

    def _noted(self, known: _Wrapper) -> None:
        known.used, known.steps = self.recorder.stacks.here(), len(self.recorder.steps)

    # -- averaged copies -----------------------------------------------------------------------------

    @guarded("an averaged model", None)
    def _averages(self, token: Any, result: Any, model: Any, *args: Any, **kwargs: Any) -> None:
        if type(model) is AveragedModel:  # another class may update itself in a way of its own
            self._of("average", model, self.recorder.stacks.here())

    @guarded("an averaged model", None)
    def _updated(self, model: Any, *args: Any, **kwargs: Any) -> None:
        self._of("average", model).updates += 1

    @guarded("an averaged model", None)
    def _average_used(self, model: Any, *args: Any, **kwargs: Any) -> None:
        if type(model) is not AveragedModel:
            return
        known = self._of("average", model)
        if known.updates or known.looks >= _LOOKS or not self.recorder.steps or capturing():
            return
        known.looks += 1
        with Quiet():
            if int(model.n_averaged) == 0:  # it may have been loaded
                self._noted(known)

    # -- spectral norms ------------------------------------------------------------------------------

    @guarded("a spectral norm", None)
    def _divides(self, norm: Any, module: torch.nn.Module, do_power_iteration: bool = True) -> None:
        known = self._of("spectral", norm, self.seen.modules.where_made(module))
        if do_power_iteration:
            known.updates += 1
        elif not known.updates and known.looks < _LOOKS and self.recorder.steps and not capturing():
            known.looks += 1
            with Quiet():
                known.measured = _off(norm, module)
            self._noted(known)

    # -- quantisers ----------------------------------------------------------------------------------

    @guarded("a fake quantiser", None)
    def _quantises(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        known = self._of("quantiser", module, self.seen.modules.where_made(module))
        if known.looks >= _LOOKS or known.updates or capturing():
            return
        known.looks += 1
        with Quiet():
            buffers = module._buffers
            watches, works = buffers.get("observer_enabled"), buffers.get("fake_quant_enabled")
            observer = module._modules.get("activation_post_process")
            low = observer._buffers.get("min_val") if observer is not None else None
            if watches is None or works is None or low is None:
                return
            seen = low.numel() > 0 and bool(torch.isfinite(low).all())
            if bool(watches[0]) or seen:
                known.updates += 1
            elif bool(works[0]):
                self._noted(known)

    # -- facts ---------------------------------------------------------------------------------------

    def expects(self) -> int:
        """As long as an averaged copy was never updated, what comes next may use it, or update it."""
        waiting = any(
            w.kind == "average" and not w.updates and w.ref() is not None for w in self._all.values()
        )
        return self.recorder.step + 1 if waiting else 0

    def facts(self) -> dict[str, Any]:
        """Those that were used and had never been updated until the end."""
        found = [w for w in (*self._done, *self._all.values()) if w.used >= 0 and not w.updates]
        with Quiet():
            off = [None if w.measured is None else float(w.measured) for w in found]
        rows = [t.Unready(w.kind, w.created, w.used, w.steps, n) for w, n in zip(found, off, strict=True)]
        return {"unready": tuple(rows), "updates_averages": bool(rows) and self._updates()}

    def _updates(self) -> bool:
        """Whether the script updates averaged models somewhere, by its source."""
        trees = [self.recorder.stacks.trees[f] for f in self.recorder.stacks.user_files()]
        nodes = [n for tree in trees if tree is not None for n in ast.walk(tree)]
        return any(isinstance(n, ast.Attribute) and n.attr == "update_parameters" for n in nodes)


def _off(norm: Any, module: torch.nn.Module) -> torch.Tensor | None:
    """How many times too large the weight comes out: its largest singular value over the estimate it is divided by."""
    original = module._parameters[f"{norm.name}_orig"]
    left, right = module._buffers[f"{norm.name}_u"], module._buffers[f"{norm.name}_v"]
    weight = None if original is None else plain(original)
    if weight is None or left is None or right is None:
        return None
    matrix = norm.reshape_weight_to_matrix(weight).float()
    vector = matrix.abs().sum(0)  # no random numbers: those are the script's
    for _ in range(_ITERATIONS):
        vector = torch.nn.functional.normalize(matrix.t() @ (matrix @ vector), dim=0)
    largest: torch.Tensor = (matrix @ vector).norm()
    return largest / torch.dot(left.float(), matrix @ right.float()).abs().clamp_min(1e-12)
