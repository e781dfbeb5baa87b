"""``whygrad explain``: the documentation of one rule."""

from __future__ import annotations

import sys

import click

from whygrad.commands.rules import page
from whygrad.diagnose import load_rules
from whygrad.errors import UsageError
from whygrad.reporting import require_rule
from whygrad.streams import Look, is_terminal, write


@click.command("explain")
@click.argument("rule")
def command(*, rule: str) -> int:
    """Explain RULE: what it means, how to recognise it, an example, and what to write instead."""
    slug = rule.lower().replace("_", "-")
    require_rule(slug, "explain")
    modules, failed = load_rules()
    if slug not in modules:
        raise UsageError(failed[slug])
    write(_formatted(f"# {slug}\n\n{page(modules[slug])}\n"), sys.stdout)
    return 0


def _formatted(text: str) -> str:
    """Drawn for a terminal, as it is for a pipe."""
    look = Look.of(sys.stdout)
    if not is_terminal(sys.stdout):
        return text
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=look.width, no_color=not look.colour, force_terminal=True)
    with console.capture() as capture:
        console.print(Markdown(text))
    return capture.get()
