"""``whygrad explain``: the documentation of one rule."""

from __future__ import annotations

import sys

import click

from whygrad.diagnose import load_rules
from whygrad.errors import UsageError
from whygrad.reporting import require_rule
from whygrad.rule_pages import in_source, in_source_only, module_of, page
from whygrad.running.streams import Look, is_terminal, write


@click.command("explain")
@click.argument("rule")
def command(*, rule: str) -> int:
    """Explain RULE: what it means, how to recognise it, an example, and what to write instead."""
    slug = rule.lower().replace("_", "-")
    if slug not in in_source_only():
        require_rule(slug, "explain")
    modules, failed = load_rules()
    module = modules.get(slug) or module_of(slug)
    if module is None:
        raise UsageError(failed[slug])
    text = f"# {slug}\n\n{page(module)}\n"
    if in_source(slug):
        only = "" if slug in modules else " only"
        text += f"\n`whygrad lint` looks for this in the source{only}.\n"
    write(_formatted(text), sys.stdout)
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
