"""Names of notebook cells, where a script has the name of a file.

A cell of a notebook that is run is named ``train.ipynb:cell 3`` (the third code cell that holds anything: what Jupyter
shows as ``[3]`` after "Restart and run all"), a cell of a running kernel ``cell In[3]``. Lines count from the cell's
first one, as an editor shows them.
"""

from __future__ import annotations

import re

_CELL = re.compile(r"(?:(?P<notebook>.+):)?(?P<cell>cell (?:\d+|In\[\d+\]))", re.DOTALL)


def cell_of(notebook: str, number: int) -> str:
    """The name of a cell of a notebook file."""
    return f"{notebook}:cell {number}"


def live_cell(prompt: str) -> str:
    """The name of a cell of a running kernel; ``prompt`` is ``In[3]``."""
    return f"cell {prompt}"


def split(file: str) -> tuple[str, str] | None:
    """The notebook (empty for a running kernel) and the cell of such a name; None for the name of a plain file."""
    match = _CELL.fullmatch(file)
    return (match["notebook"] or "", match["cell"]) if match else None


def place(file: str, line: int) -> str:
    """A place as a reader takes it in: ``model.py:27``, ``train.ipynb:cell 3, line 5``."""
    return f"{file}, line {line}" if split(file) else f"{file}:{line}"
