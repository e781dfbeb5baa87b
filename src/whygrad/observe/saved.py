"""What the nodes of an autograd graph have saved for their backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MODIFIED = "has been modified by an inplace operation"
_SAVED = ("_saved_", "saved_tensors")


def spoilt(
    nodes: Sequence[Any], parents: Sequence[Sequence[tuple[int, int]]], ran: set[int], message: str
) -> Any:
    """The node that could not unpack a saved tensor because it had been modified: the error names no place, but the
    node says the same again when it is asked. Only nodes that autograd had come to are asked, the likeliest first."""
    if _MODIFIED not in message:
        return None
    reached = [
        node
        for i, node in enumerate(nodes)
        if i not in ran and all(parent in ran for parent, _ in parents[i])
    ]
    for node in sorted(reached, key=lambda node: -int(node._sequence_nr())):
        if any(_says(node, name, message) for name in dir(node) if name.startswith(_SAVED)):
            return node
    return None


def _says(node: Any, name: str, message: str) -> bool:
    """Whether unpacking a saved tensor raises the same error (its hint apart)."""
    try:
        getattr(node, name)
    except RuntimeError as error:
        return str(error).partition(" Hint")[0] == message.partition(" Hint")[0]
    return False
