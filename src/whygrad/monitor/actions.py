"""What an alarm does: say it, call back, save a checkpoint, stop, or look closer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from whygrad.errors import UsageError
from whygrad.monitor.rows import Alarm

Named = Literal["warn", "checkpoint", "stop", "diagnose"]
Action = Named | Callable[[Alarm], Any]
#: One action or several, for every alarm; or by the slug of the alarm, ``"*"`` for all others.
Actions = Action | Sequence[Action] | Mapping[str, Action | Sequence[Action]] | None

_NAMED = ("warn", "checkpoint", "stop", "diagnose")


class TrainingStopped(Exception):  # noqa: N818  (the name says what has happened, as KeyboardInterrupt does)
    """An alarm has ended the training, as ``on_alarm="stop"`` asks for. Raised after an optimizer's step, in the thread
    that trains. ``alarm`` is what was wrong."""

    def __init__(self, alarm: Alarm) -> None:
        super().__init__(alarm.sentence())
        self.alarm = alarm


def actions_for(given: Actions) -> Callable[[str], tuple[Action, ...]]:
    """Which actions an alarm's slug leads to. Raises UsageError for what is no action, or no alarm."""
    if not isinstance(given, Mapping):
        always = _several(given)
        return lambda slug: always
    from whygrad.monitor.history import checks

    table = {slug: _several(own) for slug, own in given.items()}
    unknown = sorted(set(table) - {"*"} - checks().keys())
    if unknown:
        raise UsageError(
            f"on_alarm names {unknown[0]!r}, which is no alarm; there are {', '.join(sorted(checks()))}."
        )
    return lambda slug: table.get(slug, table.get("*", ("warn",)))


def _several(given: Action | Sequence[Action] | None) -> tuple[Action, ...]:
    if given is None:
        return ()
    found = (given,) if isinstance(given, str) or callable(given) else tuple(given)
    for one in found:
        if not callable(one) and one not in _NAMED:
            raise UsageError(
                f"on_alarm is {one!r}; give a function, or one of {', '.join(map(repr, _NAMED))}."
            )
    return found


def save_checkpoint(
    folder: Path, alarm: Alarm, models: Mapping[str, torch.nn.Module], optimizers: Iterable[Any]
) -> Path:
    """Write the states of models and optimizers, as they are now, with ``torch.save``: to be read back with
    ``torch.load(path, weights_only=True)``. Raises what writing raises."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"whygrad-step-{alarm.step}-{alarm.rule}.pt"
    states = {name: model.state_dict() for name, model in models.items()}
    state = {
        "step": alarm.step,
        "alarm": alarm.sentence(),
        "model": states[""] if list(states) == [""] else states,
        "optimizers": [o.state_dict() for o in optimizers],
    }
    torch.save(state, path)
    return path
