"""``whygrad run``: run a training script under observation."""

from __future__ import annotations

from collections.abc import Callable

import click

from whygrad.config import Config
from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.proving.intervention import Intervention, read
from whygrad.proving.proof_runs import Prover
from whygrad.proving.sandbox import Sandbox, Watcher
from whygrad.ranks.launched_run import LaunchedRun, RanksProver
from whygrad.ranks.member import Member, membership
from whygrad.ranks.stalling import HANG
from whygrad.reporting import Settings, report_options
from whygrad.running.kept_run import KeptRun
from whygrad.running.observed_run import ObservedRun, Parts
from whygrad.running.program import Target
from whygrad.running.telling import CANNOT_WORK, Telling
from whygrad.saved import records
from whygrad.trace import Trace

STEPS, OVERFIT_STEPS = 10, 200


@click.command("run", context_settings={"allow_interspersed_args": False}, no_args_is_help=True)
@click.option(
    "--steps",
    type=int,
    metavar="N",
    help=f"Optimizer steps to observe [{STEPS}; {OVERFIT_STEPS} with --overfit].",
)
@report_options
@click.option("--no-record", is_flag=True, help="Leave no record for `whygrad report`.")
@click.option("--prove", is_flag=True, help="Prove each cause: run again with it taken away, and compare.")
@click.option(
    "--proof-timeout", type=float, metavar="SECONDS", help="For each proof run [3 times the first run]."
)
@click.option(
    "--overfit", is_flag=True, help="Repeat the first batch, to see whether the model can learn at all."
)
@click.option(
    "--keep-running",
    "keeps",
    is_flag=True,
    help="Report after N steps, then let the script go on to its end under the monitor.",
)
@click.option(
    "--nproc-per-node",
    "ranks",
    type=int,
    metavar="K",
    help="Run on K ranks, as torchrun does; one joined report.",
)
@click.option(
    "--hang-timeout",
    type=float,
    default=HANG,
    metavar="SECONDS",
    help=f"End ranks that wait for each other this long, and say for what [{HANG:.0f}].",
)
@click.option("--intervene", hidden=True)
@click.option(
    "-m", "as_module", is_flag=True, help="Run a module, as python -m does: run -m MODULE [ARGS]..."
)
@click.option("-c", "as_code", is_flag=True, help="Run code, as python -c does: run -c CODE [ARGS]...")
@click.argument("script", metavar="SCRIPT [ARGS]...", nargs=-1, type=click.UNPROCESSED)
def command(  # noqa: PLR0913  # one parameter an option
    *,
    steps: int | None,
    no_record: bool,
    prove: bool,
    proof_timeout: float | None,
    overfit: bool,
    keeps: bool,
    ranks: int | None,
    hang_timeout: float,
    intervene: str | None,
    as_module: bool,
    as_code: bool,
    script: tuple[str, ...],
    settings: Settings,
    config: Config,
) -> Callable[[], int]:
    """Run SCRIPT as Python would, watch the first optimizer steps, and say which parameters do not train and why.

    The script is ended after N steps, unless --keep-running is given. Its standard output is its own; the report goes
    to standard error, or, in another format than terminal and without --output, to standard output after the script has
    ended.

    Exit status: 0 nothing found, 1 something found at or above --fail-on, 2 whygrad could not work; a script that
    fails keeps its own.
    """
    target = _target(as_module, as_code, script)
    if overfit and prove:
        raise UsageError("--overfit and --prove cannot be given together; run one after the other.")
    usual = OVERFIT_STEPS if overfit else config.steps or STEPS
    steps = steps if steps is not None else usual
    if steps < 1:
        raise UsageError(
            f"--steps is {steps}: there would be nothing to observe; give a number of 1 or more."
        )
    if hang_timeout <= 0:
        raise UsageError(f"--hang-timeout is {hang_timeout:g}: give a number of seconds above 0.")
    if ranks is not None and keeps:
        raise UsageError(
            "--keep-running watches one process; use whygrad.watch() in a script that runs on several ranks."
        )
    if ranks is not None:
        options = ["--steps", str(steps), "--hang-timeout", str(hang_timeout), *(["--overfit"] * overfit)]
        return _launched_run(target, ranks, options, settings, not no_record, (prove, proof_timeout))
    member, told = membership(hang_timeout)
    if keeps:
        _refuse_with_keeping(prove, overfit, member)
        return lambda: KeptRun(target, steps, settings, not no_record, told).run()
    if member is not None and prove:
        if not member.joins:
            return lambda: CANNOT_WORK  # rank 0 says why
        raise UsageError(
            "--prove cannot start the ranks of torchrun again; use whygrad run --nproc-per-node K --prove."
        )
    if intervene is not None:
        return lambda: _proof_run(target, steps, settings, read(intervene), member)
    if overfit:
        return _overfit_run(target, steps, settings, not no_record, member, told)
    if not prove:
        parts = Parts.standard()
        return lambda: ObservedRun(
            target, steps, settings, parts, not no_record, member=member, told=told
        ).run()
    watcher = Watcher(str(records.folder()))
    prover = Prover(target, steps, proof_timeout, watcher)
    watcher.install()
    parts = Parts.standard(files=watcher)
    return lambda: ObservedRun(target, steps, settings, parts, not no_record, prover, told=told).run()


def _refuse_with_keeping(prove: bool, overfit: bool, member: Member | None) -> None:
    if prove or overfit:
        other = "--prove" if prove else "--overfit"
        raise UsageError(f"--keep-running and {other} cannot be given together; run one after the other.")
    if member is not None:
        raise UsageError(
            "--keep-running watches one process; use whygrad.watch() in a script that torchrun starts."
        )


def _launched_run(
    target: Target,
    count: int,
    options: list[str],
    settings: Settings,
    record: bool,
    proofs: tuple[bool, float | None],
) -> Callable[[], int]:
    """A run on several ranks, started from here."""
    if count < 1:
        raise UsageError(f"--nproc-per-node is {count}: there would be no rank; give a number of 1 or more.")
    prover = RanksProver(target, count, options, proofs[1]) if proofs[0] else None
    telling = Telling(target, settings, Parts.standard().diagnose, record, prover)
    return LaunchedRun(target, count, options, telling).run


def _overfit_run(  # what a run needs to know
    target: Target, steps: int, settings: Settings, record: bool, member: Member | None, note: str
) -> Callable[[], int]:
    """A run on one batch. It is no training, so what it writes (checkpoints, say) is told of at the end."""
    watcher = Watcher(str(records.folder()))

    def told(report: Report, trace: Trace, say: Callable[[str], None]) -> Report:
        watcher.active = False
        touched = watcher.sentence()
        if touched:
            say(f"{touched}; in this run it was trained on one repeated batch only")
        return report

    watcher.install()
    parts = Parts.standard(Intervention("overfit", "the first batch at every pass"), watcher)
    return lambda: ObservedRun(target, steps, settings, parts, record, told, member, note).run()


def _proof_run(
    target: Target, steps: int, settings: Settings, intervention: Intervention, member: Member | None
) -> int:
    """One run of ``--prove``: with the cause taken away, and in the sandbox."""
    sandbox = Sandbox()
    sandbox.install()
    try:
        parts = Parts.standard(intervention, sandbox)
        return ObservedRun(target, steps, settings, parts, member=member).run()
    finally:
        sandbox.remove()


def _target(as_module: bool, as_code: bool, words: tuple[str, ...]) -> Target:
    """What to run. ``-m`` and ``-c`` take the next word, whatever it looks like, and all after it is the script's."""
    if as_module and as_code:
        raise UsageError("-m and -c cannot be given together; give one of them.")
    if not words:
        what = "the module after -m" if as_module else "the code after -c" if as_code else "the script"
        raise UsageError(f"Nothing to run was given; name {what}: whygrad run train.py")
    return Target("module" if as_module else "code" if as_code else "script", words[0], words[1:])
