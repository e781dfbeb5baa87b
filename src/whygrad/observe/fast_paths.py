"""Keeps the fused kernels of torch.nn: ``MultiheadAttention`` and ``TransformerEncoder`` leave them out when a function
mode is active, and their results differ in the last bits. Our mode alone is no reason to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from whygrad.observe.patching import Patches

_OURS = __name__.rpartition(".")[0]
_length = torch._C._len_torch_function_stack


def keep(patches: Patches) -> None:
    """Have ``torch.overrides.has_torch_function`` answer as it would without us."""
    original = torch.overrides.has_torch_function
    mine = _without_us(original, patches)
    patches.set(torch.overrides, "has_torch_function", mine)
    builtins: dict[int, str] = torch.jit._builtins._get_builtin_table()
    if id(original) in builtins:  # torch.jit.script knows the function by its identity
        patches.item(builtins, id(mine), builtins[id(original)])


def _without_us(original: Callable[[Any], bool], patches: Patches) -> Callable[[Any], bool]:
    def has_torch_function(relevant_args: Any) -> bool:
        if not original(relevant_args):
            return False
        if not patches.active or _length() != 1:
            return True
        mode = torch._C._pop_torch_function_stack()
        try:
            ours = type(mode).__module__.startswith(_OURS)
            return original(relevant_args) if ours else True
        finally:
            torch._C._push_on_torch_function_stack(mode)

    return has_torch_function
