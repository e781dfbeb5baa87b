"""What whygrad says when it cannot do what was asked of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """The command was used wrongly, or whygrad could not work: exit status 2.

    The text is for the user: the value, what is wrong with it, and what to do."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` if a known word is close to ``word``, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
