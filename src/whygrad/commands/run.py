"""``whygrad run``: run a training script under observation."""

from __future__ import annotations

from collections.abc import Callable

import click

from whygrad.config import Config
from whygrad.errors import UsageError
from whygrad.observed_run import ObservedRun, Parts
from whygrad.program import Target
from whygrad.reporting import Settings, report_options

STEPS = 10


@click.command("run", context_settings={"allow_interspersed_args": False}, no_args_is_help=True)
@click.option("--steps", type=int, metavar="N", help=f"Optimizer steps to observe [{STEPS}].")
@report_options
@click.option("--no-record", is_flag=True, help="Leave no record for `whygrad report`.")
@click.option(
    "-m", "as_module", is_flag=True, help="Run a module, as python -m does: run -m MODULE [ARGS]..."
)
@click.option("-c", "as_code", is_flag=True, help="Run code, as python -c does: run -c CODE [ARGS]...")
@click.argument("script", metavar="SCRIPT [ARGS]...", nargs=-1, type=click.UNPROCESSED)
def command(
    *,
    steps: int | None,
    no_record: bool,
    as_module: bool,
    as_code: bool,
    script: tuple[str, ...],
    settings: Settings,
    config: Config,
) -> Callable[[], int]:
    """Run SCRIPT as Python would, watch the first optimizer steps, and say which parameters do not train and why.

    The script is ended after N steps. Its standard output is its own; the report goes to standard error, or, in
    another format than terminal and without --output, to standard output after the script has ended.

    Exit status: 0 nothing found, 1 something found at or above --fail-on, 2 whygrad could not work; a script that
    fails keeps its own.
    """
    target = _target(as_module, as_code, script)
    steps = steps if steps is not None else (config.steps or STEPS)
    if steps < 1:
        raise UsageError(
            f"--steps is {steps}: there would be nothing to observe; give a number of 1 or more."
        )
    return lambda: ObservedRun(target, steps, settings, Parts.standard(), record=not no_record).run()


def _target(as_module: bool, as_code: bool, words: tuple[str, ...]) -> Target:
    """What to run. ``-m`` and ``-c`` take the next word, whatever it looks like, and all after it is the script's."""
    if as_module and as_code:
        raise UsageError("-m and -c cannot be given together; give one of them.")
    if not words:
        what = "the module after -m" if as_module else "the code after -c" if as_code else "the script"
        raise UsageError(f"Nothing to run was given; name {what}: whygrad run train.py")
    return Target("module" if as_module else "code" if as_code else "script", words[0], words[1:])
