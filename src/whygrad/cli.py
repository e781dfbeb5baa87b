"""The command line. A command is a module in ``whygrad.commands`` with a click command named ``command``."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Sequence

import click

from whygrad import __version__, commands
from whygrad.errors import UsageError, suggestion
from whygrad.running.streams import say
from whygrad.running.telling import CANNOT_WORK, DEBUG, internal_error
from whygrad.trace import TraceError


class Commands(click.Group):
    """Finds the commands by walking their package, and imports only the one that is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(i.name for i in pkgutil.iter_modules(commands.__path__) if not i.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        found = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called for, or an error that says what would have been right."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            hint = suggestion(name, self.list_commands(ctx)) or f"; to run a script: whygrad run {name}"
            raise UsageError(f"There is no command {name!r}{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="whygrad %(version)s")
def cli() -> None:
    """Find out why a PyTorch model is not learning, and which line is the cause."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. The one place where our errors become sentences."""
    try:
        result = cli.main(
            args=argv if argv is None else list(argv), prog_name="whygrad", standalone_mode=False
        )
        # Outside of click: a script that uses it too must not find a context of ours.
        return _status(result)
    except click.UsageError as error:
        _say_usage(error)
    except click.ClickException as error:
        say(error.format_message())
    except (UsageError, TraceError) as error:
        say(str(error))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        say(internal_error(error))
    return CANNOT_WORK


def _say_usage(error: click.UsageError) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2: the message is the help
        error.show()
        return
    path = error.ctx.command_path if error.ctx else "whygrad"
    say(f"{error.format_message().rstrip('.')}. See {path} --help")


def _status(result: int | Callable[[], int] | None) -> int:
    """A command gives its status, or what remains to be done for it."""
    return (result() if callable(result) else result) or 0
