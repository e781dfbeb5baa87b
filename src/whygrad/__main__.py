"""``python -m whygrad``: the same as the ``whygrad`` command."""

from __future__ import annotations

import sys

from whygrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
