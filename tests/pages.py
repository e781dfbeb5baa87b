"""The examples of a page, for the tests that run them."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def example(page: str, heading: str) -> str:
    """The first block of Python below a heading."""
    text = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found, f"{page} has no example below {heading!r}"
    return found[1]
