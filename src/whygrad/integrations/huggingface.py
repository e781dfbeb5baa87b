"""``Trainer(callbacks=[WhygradCallback()])``: the monitor for the Trainer of Hugging Face's transformers."""

from __future__ import annotations

from typing import Any

from whygrad.integrations._stopping import stopping
from whygrad.monitor.watching import Watch, watch

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise ImportError(
        "whygrad.integrations.huggingface needs transformers with its Trainer; install them with "
        "`pip install transformers accelerate`."
    ) from error


class WhygradCallback(TrainerCallback):
    """Watches ``train()``. ``watch`` is the :class:`whygrad.Watch` of the last one.

    Steps are the optimizer's; a training that is resumed from a checkpoint goes on with their number. A callback is not told
    the loss of a step: what is kept is the mean that the Trainer logged last (``logging_steps``). ``on_alarm="stop"`` ends
    the training as early stopping does.

    Args:
        options: those of :func:`whygrad.watch`: ``every``, ``on_alarm``, ``sinks``, ``guess``, ``record``, …
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.watch: Watch | None = None
        self._options = options
        self._loss: float | None = None
        self._stop = False

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
        """Begin."""
        if self.watch is not None:
            self.watch.close()  # no callback is called when a training raises
        self._loss, self._stop = None, False
        given = {
            "on_alarm": "warn",
            "first_step": state.global_step,
            "steps": state.max_steps,
            **self._options,
        }
        given["on_alarm"] = stopping(given["on_alarm"], lambda: setattr(self, "_stop", True))
        self.watch = watch(model, **given)

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Hand over the loss, and end the training where an alarm has asked for it."""
        if self.watch is not None:
            self.watch.step(self._loss)
        if self._stop:
            control.should_training_stop = True

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any
    ) -> None:
        """Keep the loss that was logged."""
        self._loss = (logs or {}).get("loss", self._loss)

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """End."""
        if self.watch is not None:
            self.watch.close()
