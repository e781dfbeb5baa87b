"""The report as one HTML page that holds all it needs: it asks for nothing, and runs no script but its own.

The page's policy allows exactly the style sheet and the script in it, by their hashes, so that nothing that came from the
user's program could act even if it were not escaped.
"""

from __future__ import annotations

from pathlib import Path

from whygrad.excerpt import Sources
from whygrad.finding import Report
from whygrad.render import _html_facts as facts
from whygrad.render._html_data import data
from whygrad.render._html_page import asset, digest, environment, styles
from whygrad.render._html_view import cards
from whygrad.render._words import VERDICTS, headline

_SCRIPTS = ("dom.js", "charts.js", "paths.js", "chain.js", "tree.js", "model.js", "start.js")
_DARK = "@media screen and (prefers-color-scheme:dark){.wg{}}"


def render(report: Report, root: Path | None = None, **_: object) -> str:
    """Draw ``report`` as a whole HTML document. ``root`` is the folder that the report's file names start from (by
    default the current one), where source lines are read. Notes are in it, folded."""
    sources = Sources(root)
    style = styles(_DARK, "base", "card", "page", "print")
    script = "(() => {\n'use strict';\n" + "".join(asset(name) for name in _SCRIPTS) + "})();\n"
    page = environment().get_template("report.html.j2")
    return page.render(
        report=report,
        verdict=VERDICTS[report.verdict].capitalize(),
        headline=headline(report),
        cards=cards(report, sources, loud=True),
        quiet=cards(report, sources, loud=False),
        shares=facts.shares(report),
        facts=facts.facts(report),
        to_do=facts.to_do(report),
        unseen=report.incomplete[1 if report.verdict == "incomplete" else 0 :],
        data=data(report),
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
    )
