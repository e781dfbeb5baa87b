"""Runs that showed nothing: why, and what to do about it."""

from __future__ import annotations

import sys

from whygrad.running.runner import Outcome
from whygrad.trace import Trace


def nothing_seen(name: str, outcome: Outcome, trace: Trace) -> str | None:
    """One sentence if there is nothing to report on the script ``name``; None if something was seen."""
    if not outcome.compiled:
        return f"{name} could not be compiled, so nothing was run; mend the error above and run it again."
    if isinstance(outcome.error, ModuleNotFoundError) and outcome.error.name == "torch":
        return (
            f"torch is not installed in {sys.executable}; install it there, "
            "or run whygrad with the Python that has it: python -m whygrad run ..."
        )
    if trace.backwards or trace.step_count():
        return None
    if outcome.torch_seen and trace.problems:
        return trace.problems[0]
    if outcome.ended in ("raised", "interrupted"):
        return f"{name} came to no backward pass before it was over, so there is nothing to report."
    if not outcome.torch_seen:
        return f"{name} never imported torch, so there was nothing to watch; give the script that trains."
    return (
        f"{name} made no backward pass and no optimizer step, so there was nothing to watch; "
        "give the script that trains, with the arguments that make it train."
    )
