"""``whygrad rules``: what whygrad looks for."""

from __future__ import annotations

import shutil
import sys
import textwrap
from types import ModuleType

import click

from whygrad.diagnose import load_rules
from whygrad.finding import LINKS
from whygrad.rule_pages import in_source_only, module_of, summary
from whygrad.running.streams import is_terminal, say, write


@click.command("rules")
def command() -> int:
    """List the rules: the name and what it finds. `whygrad explain RULE` says more about one."""
    modules, failed = load_rules()
    static = {slug: module for slug in in_source_only() if (module := module_of(slug)) is not None}
    # on a terminal below each other, for it may be narrow; in a pipe one a line
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    space = max(map(len, {**modules, **static}), default=0)
    for slug, module in sorted({**modules, **static}.items()):
        text = summary(module) + (" (in the source)" if slug in static else _link(module))
        write(_paragraph(slug, text, width) if width else f"{slug:{space}}  {text}\n", sys.stdout)
    for sentence in failed.values():
        say(sentence)
    return 2 if failed else 0


def _paragraph(slug: str, text: str, width: int) -> str:
    lines = textwrap.wrap(text, max(width - 4, 20), initial_indent="    ", subsequent_indent="    ")
    return "\n".join([slug, *lines, "", ""])


def _link(module: ModuleType) -> str:
    """The link of the chain that the rule is about, where its module says so in ``LINK``."""
    link = getattr(module, "LINK", None)
    return f" (link {link}: {LINKS[link]})" if link in LINKS else ""
