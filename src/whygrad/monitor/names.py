"""What the parameters are called: as their models name them, without the prefixes of wrappers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from whygrad.errors import UsageError
from whygrad.observe.variables import WRAPPERS

_INNER = re.compile(r"(?:^|(?<=\.))_(?:orig_mod|fsdp_wrapped_module|checkpoint_wrapped_module)\.")

Models = torch.nn.Module | Iterable[torch.nn.Module] | Mapping[str, torch.nn.Module] | None


class Names:
    """The names of all parameters of some models, looked up again when a new one turns up."""

    def __init__(self, models: Models) -> None:
        self.models = _named(models)
        self._names: dict[int, str] = {}
        self.renew()

    def renew(self) -> None:
        """Walk the models as they are now."""
        self._names = {id(p): name for name, p in self.all()}

    def of(self, parameter: torch.Tensor) -> str | None:
        """The name of a parameter, None if it belongs to none of the models."""
        return self._names.get(id(parameter))

    def all(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Every parameter with its name, in the order of the modules; tied ones once."""
        found: dict[int, tuple[str, torch.nn.Parameter]] = {}
        for prefix, model in self.models.items():
            for name, parameter in unwrapped(model).named_parameters():
                own = _INNER.sub("", name)
                found.setdefault(id(parameter), (f"{prefix}.{own}" if prefix else own, parameter))
        return list(found.values())


def unwrapped(model: torch.nn.Module) -> torch.nn.Module:
    """The model within DistributedDataParallel, DataParallel and what ``torch.compile`` returns."""
    while (attribute := WRAPPERS.get(type(model).__name__)) and attribute in model._modules:
        inner = model._modules[attribute]
        if inner is None:
            break
        model = inner
    return model


def _named(models: Models) -> dict[str, torch.nn.Module]:
    if models is None:
        return {}
    if isinstance(models, torch.nn.Module):
        return {"": models}
    given: dict[str, Any] = (
        dict(models) if isinstance(models, Mapping) else {f"{i}": m for i, m in enumerate(models)}
    )
    for name, model in given.items():
        if not isinstance(model, torch.nn.Module):
            raise UsageError(
                f"whygrad.watch() was given {name!r} of type {type(model).__name__}; give a torch.nn.Module, a list of "
                "them, or a dict of names and modules."
            )
    return given
