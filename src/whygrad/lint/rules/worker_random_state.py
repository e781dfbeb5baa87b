"""The static half of ``whygrad.rules.worker_random_state``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint import kinds
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_STATES = ("numpy.random.default_rng", "numpy.random.RandomState", "random.Random")
_DATASETS = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")


def check(module: Module) -> Iterator[Hit]:
    """A generator made in a dataset's __init__: every worker begins with a copy of the same state."""
    for loader in module.calls("torch.utils.data.DataLoader"):
        workers = next((k.value for k in loader.keywords if k.arg == "num_workers"), None)
        several = isinstance(workers, ast.Constant) and isinstance(workers.value, int) and workers.value > 0
        if not several or not loader.args or any(k.arg == "worker_init_fn" for k in loader.keywords):
            continue
        dataset = module.instance(loader.args[0])
        if dataset is None or dataset.info is None or dataset.home is not module:
            continue
        names = [base for base, _ in kinds.bases(module, dataset.info)]
        item = dataset.info.methods.get("__getitem__")
        if not set(names) & set(_DATASETS) or item is None:
            continue
        used = {n.attr for n in module.body_nodes(item) if isinstance(n, ast.Attribute)}
        for attribute in (a for name in used for a in dataset.info.attributes.get(name, ())):
            init = getattr(attribute.method, "name", "") == "__init__"
            if (
                init
                and isinstance(attribute.value, ast.Call)
                and module.dotted(attribute.value.func) in _STATES
            ):
                yield Hit(
                    attribute.node,
                    f"every worker of the DataLoader begins with a copy of self.{attribute.name}, and draws the same numbers",
                    "Make the generator in a worker_init_fn, from torch.initial_seed(), or draw with torch, which each worker seeds.",
                    severity="warning",
                    link=10,
                    role="generator",
                    also=((loader, "workers"),),
                )
