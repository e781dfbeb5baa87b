"""``whygrad.explain()``: the very path by which ``backward()`` comes to influence one parameter."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import msgspec
import torch
from rich.console import Console
from rich.table import Table

from whygrad.api.drawn import Drawn, number, size
from whygrad.api.places import Place, cuts, unseen
from whygrad.api.reach import found_around
from whygrad.api.update import Update, update
from whygrad.api.walking import Station, Walk, small
from whygrad.errors import UsageError
from whygrad.observe.quiet import Quiet
from whygrad.render._html_page import fragment


class Path(Drawn, msgspec.Struct, frozen=True):
    """The route from a loss to a parameter that carries most of the gradient, the loss first.

    ``reached``: whether there is one. ``routes``: how many there are (several, where the parameter is used more than once
    or branches join). ``gradient``: L2 norm of the whole gradient that arrives at the parameter. ``cuts``: where the path
    is cut, if it is and the code was recorded. ``update``: what the optimizer makes of it, if one was given."""

    parameter: str
    shape: tuple[int, ...]
    loss: float
    reached: bool
    stations: tuple[Station, ...] = ()
    routes: int = 0
    gradient: float | None = None
    reason: str = ""
    cuts: tuple[Place, ...] = ()
    update: Update | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dicts, strings and numbers."""
        made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return made

    def to_html(self) -> str:
        """One self-contained fragment of HTML."""
        return fragment("path.html.j2", path=self, shape=size(self.shape), size=size)

    def draw(self, console: Console) -> None:
        """Print it."""
        shape = size(self.shape)
        if not self.reached:
            console.print(f"{self.parameter} ({shape}) gets no gradient: {self.reason}", markup=False)
            for place in self.cuts:
                console.print(f"  cut at {place}", markup=False)
            return
        more = f", by {self.routes} routes; the strongest" if self.routes > 1 else ""
        console.print(f"loss {self.loss:.4g} -> {self.parameter} ({shape}){more}", markup=False)
        table = Table(box=None, pad_edge=False)
        for column in ("grad_fn", "shape", "arrives", "leaves", "made by"):
            table.add_column(column, overflow="fold")
        for one in self.stations:
            line = "" if one.place is None else str(one.place)
            table.add_row(one.grad_fn, size(one.shape), number(one.arriving), number(one.leaving), line)
        console.print(table)
        console.print(
            f"AccumulateGrad adds a gradient of norm {number(self.gradient)} to {self.parameter}.grad"
        )
        if self.update is not None:
            console.print(str(self.update), markup=False)


def explain(
    loss: torch.Tensor,
    parameter: torch.Tensor,
    optimizer: torch.optim.Optimizer | None = None,
    name: str = "",
) -> Path:
    """How ``loss.backward()`` comes to influence ``parameter``: operation by operation, down to ``AccumulateGrad``.

    Nothing is changed: no ``.grad`` is written, the graph stays usable, and the optimizer's step is tried on a copy.
    Inside ``with whygrad.record():`` each operation is told with its line, and so are the cuts, if there is no path.

    Args:
        loss: a scalar (or any tensor: its sum is taken) whose graph still exists, so before ``backward()``.
        parameter: a tensor that requires grad.
        optimizer: to be told what its step would make of this gradient.
        name: what to call the parameter (default: its name in a model among the caller's variables).

    Returns:
        A :class:`Path`; ``print`` it, show it in a notebook, or take ``to_dict()``.

    Raises:
        UsageError: if ``loss`` or ``parameter`` is no tensor, or ``loss`` was back-propagated already and its graph is gone.

    >>> import torch, whygrad
    >>> layer = torch.nn.Linear(2, 1)
    >>> path = whygrad.explain(layer(torch.ones(1, 2)).pow(2).sum(), layer.weight)
    >>> [station.grad_fn for station in path.stations]
    ['SumBackward0', 'PowBackward0', 'AddmmBackward0', 'TBackward0', 'AccumulateGrad']
    """
    for what, given in (("a loss", loss), ("one parameter", parameter)):
        if not isinstance(given, torch.Tensor):
            raise UsageError(f"explain() takes {what} (a tensor), not {type(given).__name__}.")
    name = name or _name(parameter, sys._getframe(1)) or "the parameter"
    with Quiet(), unseen():
        return _explain(loss, parameter, optimizer, name)


def _explain(
    loss: torch.Tensor, parameter: torch.Tensor, optimizer: torch.optim.Optimizer | None, name: str
) -> Path:
    value = float(loss.detach().sum())
    shape = tuple(parameter.shape)
    if loss.grad_fn is None:
        reason = "the loss has no grad_fn, so that nothing lies behind it for autograd"
        return Path(name, shape, value, False, reason=reason, cuts=cuts(loss, parameter))
    if not parameter.requires_grad:
        return Path(name, shape, value, False, reason="it does not require grad (it is frozen)")
    walk = Walk(loss.grad_fn, parameter)
    if not walk.towards:
        reason = f"the graph of the loss ends in {walk.leaves} other leaves"
        return Path(name, shape, value, False, reason=reason, cuts=cuts(loss, parameter))
    gradient = walk.measure(loss, parameter)
    whole = None if gradient is None else float(small([gradient]))
    made = None if optimizer is None or gradient is None else update(optimizer, parameter, gradient)
    return Path(name, shape, value, True, walk.stations(), walk.routes(), whole, update=made)


def _name(parameter: torch.Tensor, frame: FrameType) -> str:
    """What a model among the variables calls a parameter; the shortest, if there are several."""
    models = found_around(frame)[0]
    names = [n for m in models for n, p in m.named_parameters(remove_duplicate=False) if p is parameter]
    return min(names, key=len, default="")
