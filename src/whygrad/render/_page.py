"""A page of text for a terminal: wraps to a width, hangs paragraphs under a label, colours if asked.

Only styled text objects reach the console, never markup, so nothing in the user's program can act as markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from whygrad.render._text import shorten

#: Our own signs, and what stands for them where the terminal's encoding lacks them.
_ASCII = str.maketrans({"→": "->", "│": "|", "─": "-", "●": "*", "✗": "X", "⋮": ":", "…": "...", "·": "-"})
_HEIGHT = 25
_NARROWEST = 30
LABEL = 8  #: width of the margin that labels stand in


class Page:
    """Collects lines; :meth:`text` gives them back."""

    def __init__(self, width: int, colour: bool, unicode: bool) -> None:
        self.width = max(width, _NARROWEST)
        self._unicode = unicode
        self._out = io.StringIO()
        # an empty environment, so that only the arguments decide on colours and width
        self._console = Console(
            file=self._out,
            width=self.width,
            height=_HEIGHT,
            force_terminal=colour,
            force_jupyter=False,  # within a kernel it would show every line there
            color_system="standard" if colour else None,
            no_color=not colour,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )

    def text(self) -> str:
        """The whole page. Beyond ASCII nothing is left if the page was made without unicode."""
        page = self._out.getvalue()
        return page if self._unicode else page.encode("ascii", "backslashreplace").decode("ascii")

    def styled(self, *parts: str | tuple[str, str]) -> Text:
        """A text of parts, each plain or with a style."""
        text = Text()
        for part in parts:
            words, style = (part, "") if isinstance(part, str) else part
            text.append(words if self._unicode else words.translate(_ASCII), style or None)
        return text

    def blank(self) -> None:
        """An empty line."""
        self._out.write("\n")

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line that is never wrapped: for places, which must stay whole to be copied or clicked."""
        self._print(self.styled(*parts))

    def cropped(self, *parts: str | tuple[str, str]) -> None:
        """One line that is cut off at the width: for source."""
        text = self.styled(*parts)
        if text.cell_len > self.width:
            end = self.styled(("…", "dim"))
            text.truncate(self.width - end.cell_len)
            text.append_text(end)
        self._print(text)

    def paragraph(self, *parts: str | tuple[str, str], indent: int = 0, first: Text | None = None) -> None:
        """Words wrapped to the width, each line after ``indent`` blanks; ``first`` stands in the first."""
        text = self.styled(*parts)
        lead = first or Text(" " * indent)
        for line in text.wrap(self._console, max(self.width - indent, 10), overflow="fold"):
            line.rstrip()
            lead.append(" " * (indent - cell_len(lead.plain)))
            self._print(lead + line)
            lead = Text(" " * indent)

    def entry(self, label: str, *paragraphs: Iterable[str | tuple[str, str]]) -> None:
        """Paragraphs that hang under a label in the margin."""
        first: Text | None = self.styled((label, "bold"))
        for paragraph in paragraphs:
            self.paragraph(*paragraph, indent=LABEL, first=first)
            first = None

    def rule(self, title: str, style: str) -> None:
        """A line across the page that begins a section."""
        title = shorten_cells(title, self.width - 6)
        self.line((f"── {title} ", style), ("─" * max(self.width - cell_len(title) - 4, 0), "dim"))

    def _print(self, text: Text) -> None:
        text.rstrip()
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


def shorten_cells(text: str, limit: int) -> str:
    """Like :func:`shorten`, counted in columns of the terminal (some characters take two)."""
    text = shorten(text, max(limit, 2))
    while cell_len(text) > limit and len(text) > 2:
        text = shorten(text, len(text) - 1)
    return text
