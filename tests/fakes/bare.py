"""``python bare.py script|module|code NAME [ARGS]``: the runner alone, watched by nobody."""

from __future__ import annotations

import sys

from whygrad.running.program import Target
from whygrad.running.runner import run


class Nobody:
    closed = False

    def attach(self) -> None:
        print("attached", file=sys.__stderr__)


if __name__ == "__main__":
    sys.exit(run(Target(sys.argv[1], sys.argv[2], tuple(sys.argv[3:])), Nobody()).status)
