"""Writes the names and places of ``ownership`` into the tracked tensors, while the models are alive."""

from __future__ import annotations

import re
from types import FrameType

import torch

from whygrad.observe.modules import Modules, is_norm, old_name
from whygrad.observe.ownership import Name, Ownership
from whygrad.observe.parameters import Tracked
from whygrad.observe.recorder import Recorder
from whygrad.observe.source import misspelt
from whygrad.trace import LOADED, PARAMETER, RANDOM


def take_names(modules: Modules, recorder: Recorder, frame: FrameType | None) -> None:
    """Name every tracked tensor as things stand now; what is dead keeps the name it had."""
    with torch._C.DisableTorchFunction():
        params = recorder.params
        found = Ownership(modules, params, frame)
        _converted(recorder, found)
        for entry in params.entries:
            tensor = entry.ref()
            if tensor is None:
                _dead(entry)
                continue
            entry.refresh(tensor)
            entry.odd = tuple(n for n in getattr(tensor, "__dict__", ()) if misspelt(n))
            name = found.names.get(id(tensor))
            if name is not None:
                _take(entry, name, found, tuple(found.aliases.get(id(tensor), ())))
            else:
                _unowned(entry, tensor, found)


def _take(entry: Tracked, name: Name, found: Ownership, aliases: tuple[str, ...]) -> None:
    entry.fqn, entry.hidden, entry.registered, entry.live_name = name.fqn, name.hidden, name.registered, True
    entry.root = found.root_names.get(name.root, type(found.roots[name.root]).__name__)
    entry.aliases = aliases
    entry.holder, entry.attribute = (
        type(name.holder).__qualname__,
        re.split(r"[.\[]", name.path, maxsplit=1)[0],
    )
    entry.container = name.fqn.removesuffix(name.path) + entry.attribute
    entry.module_class = type(name.module).__name__
    if isinstance(name.module, torch.nn.Module):
        entry.training = name.module.training
        entry.norm_layer = is_norm(name.module)


def _unowned(entry: Tracked, tensor: torch.Tensor, found: Ownership) -> None:
    """Alive, and in no module tree nor hidden in one: a variable, or what an optimizer still holds of a replaced one."""
    entry.registered = False
    variable = found.variables.get(id(tensor), "")
    module = entry.module() if entry.module is not None else None
    if module is not None and module._parameters.get(entry.name) is tensor:
        entry.live_name = True  # its module is alive but belongs to no tree that was seen
        entry.fqn = old_name(entry.placed, entry.name)
    elif entry.placed is not None:
        entry.live_name = False
        entry.fqn = old_name(entry.placed, entry.name)
        entry.hidden = ""
    elif variable:
        entry.fqn, entry.live_name = variable, True


def _converted(recorder: Recorder, found: Ownership) -> None:
    """An attribute that was computed from a Parameter (``nn.Parameter(...).to(...)``) names the Parameter behind it;
    one that is a leaf of its own gets tracked like a Parameter, a random constant like a buffer."""
    for tensor, name in found.attributes:
        note = recorder.values.get(tensor)
        if note is None or note.param >= 0:
            continue
        if not tensor.requires_grad:
            if name.hidden == "attribute" and note.origin & (RANDOM | LOADED | PARAMETER) == RANDOM:
                recorder.params.add(tensor, "buffer", note.created, recorder.tick)
            continue
        try:
            leaf = tensor.is_leaf
        except RuntimeError:
            continue  # a view of what was written to since (FullyShardedDataParallel's) refuses to tell
        if leaf:
            recorder.params.add(tensor, "tensor", note.created, recorder.tick)
            continue
        for index in recorder.sources(note):
            source = recorder.params.entries[index].ref()
            if source is not None and id(source) not in found.names:
                found.names[id(source)] = Name(
                    name.fqn, name.root, name.module, "converted", name.holder, name.path
                )


def _dead(entry: Tracked) -> None:
    if not entry.fqn and entry.placed is not None:
        entry.fqn = old_name(entry.placed, entry.name)
        entry.registered = True
    entry.norm_layer = entry.norm_layer or (entry.placed is not None and entry.placed.norm_layer)
