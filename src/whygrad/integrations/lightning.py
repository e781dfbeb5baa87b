"""``Trainer(callbacks=[WhygradCallback()])``: the monitor for ``lightning`` and ``pytorch_lightning``."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Mapping
from typing import Any

import torch

from whygrad.integrations._stopping import stopping
from whygrad.monitor.watching import Watch, watch

_PACKAGES = ("lightning.pytorch", "pytorch_lightning")


def _callbacks() -> tuple[type, ...]:
    """The class ``Callback`` of the packages that the program uses, else of the first that is installed."""
    there = [name for name in _PACKAGES if importlib.util.find_spec(name.partition(".")[0]) is not None]
    used = [name for name in there if name in sys.modules] or there[:1]
    if not used:
        raise ImportError(
            "whygrad.integrations.lightning needs Lightning; install it with `pip install lightning`."
        )
    return tuple([importlib.import_module(name).Callback for name in used])


_Callback: Any = type("_Callback", _callbacks(), {})


class WhygradCallback(_Callback):
    """Watches ``fit()``. ``watch`` is the :class:`whygrad.Watch` of the last one.

    Steps are the optimizer's; a training that is resumed from a checkpoint goes on with their number. The loss is the mean
    of what ``training_step`` returned since the last step. ``on_alarm="stop"`` ends the training as early stopping does.

    Args:
        options: those of :func:`whygrad.watch`: ``every``, ``on_alarm``, ``sinks``, ``guess``, ``record``, …
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.watch: Watch | None = None
        self._options = options
        self._resumed: int | None = None
        self._steps = self._count = 0
        self._sum: Any = 0.0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin."""
        on_alarm = stopping(
            self._options.get("on_alarm", "warn"), lambda: setattr(trainer, "should_stop", True)
        )
        first = trainer.global_step if self._resumed is None else self._resumed
        given = {"first_step": first, "steps": _total(trainer, pl_module), **self._options}
        self.watch = watch(pl_module, **{**given, "on_alarm": on_alarm})
        self._steps, self._resumed = self.watch.steps, None
        self._sum, self._count = 0.0, 0

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Hand over the loss, once an optimizer has stepped."""
        loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
        if isinstance(loss, torch.Tensor) and loss.numel() == 1:
            self._sum = self._sum + loss.detach().float()
            self._count += 1
        if self.watch is not None and self.watch.steps != self._steps:
            self._steps = self.watch.steps
            # with accumulation the Trainer hands out the part of a loss that it counts for
            mean = self._sum * (trainer.accumulate_grad_batches / self._count) if self._count else None
            self._sum, self._count = 0.0, 0
            self.watch.step(mean)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """End."""
        if self.watch is not None:
            self.watch.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End, and keep in the record why."""
        if self.watch is not None:
            self.watch.__exit__(type(exception), exception, exception.__traceback__)

    def state_dict(self) -> dict[str, Any]:
        """The number of steps, for a checkpoint: ``trainer.global_step`` adds up those of several optimizers."""
        return {} if self.watch is None else {"steps": self.watch.steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self._resumed = state_dict.get("steps")


def _total(trainer: Any, pl_module: Any) -> int | None:
    """How many steps there will be, where the Trainer knows."""
    known = trainer.estimated_stepping_batches if pl_module.automatic_optimization else -1
    return int(known) if 0 < known < math.inf else None
