"""``on_alarm="stop"`` in a framework that has a way of its own to end a training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whygrad.monitor.rows import Alarm
from whygrad.running.streams import say


def stopping(actions: Any, stop: Callable[[], None]) -> Any:
    """The actions of ``on_alarm`` with ``stop`` in place of ``"stop"``, which would raise: the framework then ends the
    training as it always does, with its checkpoints and the end of its loggers."""

    def ended(alarm: Alarm) -> None:
        say(f"training is ended by the alarm {alarm.rule} of step {alarm.step}")
        stop()

    if isinstance(actions, str):
        return ended if actions == "stop" else actions
    if isinstance(actions, Mapping):
        return {slug: stopping(own, stop) for slug, own in actions.items()}
    return [stopping(one, stop) for one in actions] if isinstance(actions, Sequence) else actions
