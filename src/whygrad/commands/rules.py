"""``whygrad rules``: what whygrad looks for."""

from __future__ import annotations

import inspect
import shutil
import sys
import textwrap
from types import ModuleType

import click

from whygrad.diagnose import load_rules
from whygrad.finding import LINKS
from whygrad.streams import is_terminal, say, write


@click.command("rules")
def command() -> int:
    """List the rules: the name and what it finds. `whygrad explain RULE` says more about one."""
    modules, failed = load_rules()
    # on a terminal below each other, for it may be narrow; in a pipe one a line
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    space = max(map(len, modules), default=0)
    for slug, module in modules.items():
        line = f"{slug:{space}}  {summary(module)}{_link(module)}\n"
        write(_paragraph(slug, module, width) if width else line, sys.stdout)
    for sentence in failed.values():
        say(sentence)
    return 2 if failed else 0


def page(module: ModuleType) -> str:
    """A rule's documentation."""
    return inspect.cleandoc(module.__doc__ or "This rule has no documentation.")


def summary(module: ModuleType) -> str:
    """Its first sentence."""
    return page(module).splitlines()[0].lstrip("# ")


def _paragraph(slug: str, module: ModuleType, width: int) -> str:
    text = summary(module) + _link(module)
    lines = textwrap.wrap(text, max(width - 4, 20), initial_indent="    ", subsequent_indent="    ")
    return "\n".join([slug, *lines, "", ""])


def _link(module: ModuleType) -> str:
    """The link of the chain that the rule is about, where its module says so in ``LINK``."""
    link = getattr(module, "LINK", None)
    return f" (link {link}: {LINKS[link]})" if link in LINKS else ""
