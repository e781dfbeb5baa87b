"""What the answers of this package have in common: they draw themselves, as text and as HTML."""

from __future__ import annotations

import io

from rich.console import Console

_WIDTH = 100  #: columns; nobody's terminal is asked, since the text may go anywhere


class Drawn:
    """A base for values with ``draw(console)``. Its text is plain; a notebook shows the HTML."""

    __slots__ = ()

    def draw(self, console: Console) -> None:
        """Print the value."""
        raise NotImplementedError

    def to_html(self) -> str:
        """One self-contained fragment of HTML."""
        raise NotImplementedError

    def __str__(self) -> str:
        file = io.StringIO()
        self.draw(Console(width=_WIDTH, file=file, no_color=True, highlight=False))
        return file.getvalue().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


def number(value: float | None) -> str:
    """Three digits; nothing for None."""
    return "" if value is None else f"{value:.3g}"


def size(shape: tuple[int, ...]) -> str:
    """A shape as ``8x4``."""
    return "x".join(map(str, shape)) or "scalar"
