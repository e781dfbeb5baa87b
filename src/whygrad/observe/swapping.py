"""``torch.utils.swap_tensors`` refuses a tensor that something refers to weakly, as the observer does to every parameter.

``module.to(...)`` of a sharded model goes that way (a model made on the meta device and sharded there, say). The tensor
keeps its identity, so that the observer's references stay right: they must not count.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from whygrad.observe.patching import Link, Patches


class _Weakref:
    """Stands for the module ``weakref`` within ``torch.utils``, while observing."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def getweakrefs(self, thing: Any) -> list[Any]:
        """None where the observer may have made them. (One of the script's own, with which torch would have refused to
        swap, can't be told from ours.)"""
        if self._link.to is not None and isinstance(thing, torch.Tensor):
            return []
        return weakref.getweakrefs(thing)

    def __getattr__(self, name: str) -> Any:
        return getattr(weakref, name)


def allow(patches: Patches) -> None:
    """Let tensors be swapped that are only observed."""
    if getattr(torch.utils, "weakref", None) is weakref:
        patches.set(torch.utils, "weakref", _Weakref(patches.link(True)))
