"""A report as a notebook shows it: a fragment that stays within itself, with the whole page folded into a frame."""

from __future__ import annotations

from whygrad.excerpt import Sources
from whygrad.finding import Report
from whygrad.render import _html_facts as facts
from whygrad.render._html_page import fragment
from whygrad.render._html_view import cards
from whygrad.render._words import VERDICTS, headline
from whygrad.render.html import render

_FINDINGS = 8
_LARGEST = 1_500_000  #: characters of a page that is put into the notebook, which keeps it in its file


def notebook(report: Report) -> str:
    """The fragment. The page in its frame has the same policy as the file, and an origin of its own."""
    page = render(report)
    return fragment(
        "notebook.html.j2",
        report=report,
        verdict=VERDICTS[report.verdict].capitalize(),
        headline=headline(report),
        cards=cards(report, Sources(), loud=True)[:_FINDINGS],
        shares=facts.shares(report),
        to_do=facts.to_do(report),
        unseen=report.incomplete[1 if report.verdict == "incomplete" else 0 :],
        page=page if len(page) <= _LARGEST else "",
    )
