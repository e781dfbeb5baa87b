"""Interventions on the optimizer's side: hand over parameters, call the step that is missing, keep the rate."""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from whygrad.observe.modules import Modules
from whygrad.observe.naming import take_names
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.recorder import Recorder
from whygrad.proving.intervention import Intervention


class Repair:
    """What is done at moments of the run: before the first backward, before each step, after each backward."""

    def __init__(
        self, intervention: Intervention, recorder: Recorder, optimizers: Optimizers, modules: Modules
    ) -> None:
        self.intervention = intervention
        self.recorder, self.optimizers, self.modules = recorder, optimizers, modules
        self._handed = False
        self._rates: dict[int, list[float]] = {}
        self.applied = 0

    def before_first_backward(self, frame: Any) -> None:
        """Parameters that were made frozen (or are buffers) become trainable."""
        if self.intervention.kind == "trainable":
            for tensor in self._named(frame):
                if not tensor.requires_grad and tensor.is_leaf:
                    tensor.requires_grad_(True)
                    self.applied += 1

    def before_step(self, optimizer: Any, frame: Any) -> None:
        """Live parameters are handed over, the rate is held."""
        known = self.optimizers.find(optimizer)
        kind = self.intervention.kind
        if self.intervention.optimizer not in (known.index, -1):
            return
        if kind in ("hand-over", "trainable"):
            self._hand_over(optimizer, frame)
        elif kind == "keep-rate":
            self._keep_rate(optimizer, known.index)
        elif kind == "option":
            self._set_option(optimizer)
        elif kind in ("re-initialise", "reset-parameters") and not self._handed:
            self._handed = True
            self._re_initialise(frame, own=kind == "reset-parameters")

    def _re_initialise(self, frame: Any, own: bool) -> None:
        """``own``: by the modules' own ``reset_parameters``, where they have one."""
        tensors = self._named(frame)
        modules = {id(m): m for m in self._modules(tensors) if hasattr(m, "reset_parameters")} if own else {}
        reset = {id(p) for m in modules.values() for p in m._parameters.values()}
        with torch.no_grad(), torch.random.fork_rng():  # the script's random numbers stay the same
            torch.manual_seed(0)
            for module in modules.values():
                self.applied += 1
                module.reset_parameters()
            for tensor in tensors:
                if id(tensor) not in reset:
                    self.applied += 1
                    tensor.copy_(0.02 * torch.randn(tensor.shape))

    def _modules(self, tensors: list[torch.Tensor]) -> list[Any]:
        """The modules that have these tensors."""
        wanted = {id(tensor) for tensor in tensors}
        live = [m for placed in self.modules.placed if (m := placed.ref()) is not None]
        return [m for m in live if wanted & {id(p) for p in m._parameters.values()}]

    def _set_option(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            for name in self.intervention.names:
                if name in group and group[name] != self.intervention.rate:
                    self.applied += 1
                    group[name] = self.intervention.rate

    def after_backward(self) -> None:
        """The step that the script does not take."""
        if self.intervention.kind != "step-after-backward":
            return
        for known in self.optimizers.known:
            optimizer = known.ref()
            if optimizer is not None and known.index == self.intervention.optimizer:
                optimizer.step()
                optimizer.zero_grad()
                self.applied += 1

    def _keep_rate(self, optimizer: Any, index: int) -> None:
        rates = self._rates.setdefault(index, [])
        for number, group in enumerate(optimizer.param_groups):
            if number == len(rates):
                first = float(group["lr"])
                rates.append(first or float(self.intervention.rate or 1e-3))
            self.applied += group["lr"] != rates[number]
            group["lr"] = rates[number]

    def _hand_over(self, optimizer: Any, frame: Any) -> None:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        fresh = [p for p in self._named(frame) if id(p) not in held and p.is_leaf and p.requires_grad]
        if fresh:
            # the same hyper-parameters as its first group: defaults of the constructor stand in for none
            like = (
                {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
                if optimizer.param_groups
                else {}
            )
            with contextlib.suppress(ValueError):
                optimizer.add_param_group({"params": fresh, **like})
                self.applied += 1

    def _named(self, frame: Any) -> list[torch.Tensor]:
        """The live tensors of the intervention's names."""
        wanted = set(self.intervention.params)
        take_names(self.modules, self.recorder, frame)
        found = []
        for entry in self.recorder.params.entries:
            tensor = entry.ref()
            names = {entry.fqn, f"{entry.root}.{entry.fqn}"}
            if tensor is not None and entry.live_name and names & wanted:
                found.append(tensor)
        return found
