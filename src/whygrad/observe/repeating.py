"""How long a run of ``--overfit`` is watched: in full for an ordinary window, then lightly."""

from __future__ import annotations

from whygrad.observe.until import Until

WINDOW = 10  #: steps that are observed in full


class Repeating:
    """Ends the script after ``steps`` steps; ``window`` says when enough was seen in full."""

    def __init__(self, window: Until, steps: int) -> None:
        self._window, self._steps, self._recorder = window, steps, window.recorder
        self._full = False

    def after_step(self) -> bool:
        """Whether the step just taken was the last."""
        if not self._full and self._window.after_step():
            self._full = self._recorder.light = True
        return self._recorder.step >= self._steps

    def after_backward(self) -> bool:
        """Whether to stop though no optimizer steps: after as many passes, if the script steps by hand."""
        window = self._window
        if not self._full:
            enough = window.after_backward()
            if not enough or window.hand_steps < window.steps:
                return enough
            self._full = self._recorder.light = True
        return not self._recorder.step and window.backwards.count >= self._steps
