"""Where whygrad itself lies: its own frames are told from those of the script by it."""

from __future__ import annotations

from pathlib import Path

#: The folder of the package, as tracebacks name it.
PACKAGE = str(Path(__file__).parent)
#: The same with links resolved.
RESOLVED = str(Path(__file__).resolve().parent)
#: The folder from which another process can import whygrad.
IMPORTABLE = str(Path(__file__).resolve().parent.parent)
