"""``whygrad.inspect()``: every parameter of a model at set-up, before any step, and what is wrong with it already."""

from __future__ import annotations

from typing import Any

import msgspec
import torch
from rich.console import Console
from rich.table import Table

from whygrad.api.drawn import Drawn, number, size
from whygrad.api.initial import Initial, initial
from whygrad.api.setup_problems import Problem, problems
from whygrad.errors import UsageError
from whygrad.observe.frames import Stacks
from whygrad.observe.guard import Problems
from whygrad.observe.modules import Modules
from whygrad.observe.ownership import Name, Ownership
from whygrad.observe.recorder import Recorder
from whygrad.render._html_page import fragment

_COLUMNS = ("shape", "dtype", "grad", "optimizer", "lr", "decay", "std", "mean")


class Row(msgspec.Struct, frozen=True):
    """One parameter. ``registered``: the module tree knows it; ``hidden``: where it lies otherwise (``list``, ``dict``,
    ``object``, ``function``). ``leaf``: autograd accumulates a gradient in it. ``shared``: other names of the same
    tensor, or of others over the same memory. ``optimizer``, ``group``, ``lr`` and ``weight_decay``: of the first
    parameter group that has it (None: none has). ``initial``: its values (None: it has none yet). ``lazy``: its shape
    is not known yet."""

    fqn: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    leaf: bool
    registered: bool
    hidden: str = ""
    shared: tuple[str, ...] = ()
    optimizer: str | None = None
    group: int | None = None
    lr: float | None = None
    weight_decay: float | None = None
    initial: Initial | None = None
    lazy: bool = False


class Inspection(Drawn):
    """What :func:`inspect` saw: ``rows``, one a parameter, and ``problems``. Its text is a table."""

    def __init__(self, name: str, rows: tuple[Row, ...], found: tuple[Problem, ...]) -> None:
        self.name, self.rows, self.problems = name, rows, found

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dicts, strings and numbers."""
        plain = {"model": self.name, "parameters": self.rows, "problems": self.problems}
        made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(plain))
        return made

    def to_html(self) -> str:
        """One self-contained fragment of HTML."""
        head = ("parameter", *_COLUMNS)
        rows = [dict(zip(head, _cells(row), strict=True)) for row in self.rows]
        return fragment("inspection.html.j2", seen=self, columns=_COLUMNS, rows=rows)

    def draw(self, console: Console) -> None:
        """Print it."""
        trainable = sum(row.requires_grad for row in self.rows)
        console.print(
            f"{self.name}: {len(self.rows)} parameters, {trainable} trainable, "
            f"{len([p for p in self.problems if p.severity != 'note'])} problems"
        )
        for problem in self.problems:
            console.print(f"  {problem.severity}: {problem.text} [{problem.rule}]", markup=False)
        table = Table(box=None, pad_edge=False)
        for column in ("parameter", *_COLUMNS):
            table.add_column(column, overflow="fold" if column == "parameter" else "ellipsis")
        for row in self.rows:
            table.add_row(*_cells(row))
        console.print(table)


def _cells(row: Row) -> list[str]:
    held = "" if row.optimizer is None else f"{row.optimizer}[{row.group}]"
    name = row.fqn + (f" (in a {row.hidden})" if row.hidden not in ("", "attribute") else "")
    name += f" = {row.shared[0]}" if row.shared else ""
    shape = "lazy" if row.lazy else size(row.shape)
    std, mean = (None, None) if row.initial is None else (row.initial.std, row.initial.mean)
    grad = ("yes" if row.requires_grad else "frozen") if row.leaf else "no leaf"
    decay = number(row.weight_decay)
    return [name, shape, row.dtype, grad, held, number(row.lr), decay, number(std), number(mean)]


def inspect(model: torch.nn.Module, *optimizers: torch.optim.Optimizer) -> Inspection:
    """Look at every parameter of ``model`` as it is set up, without running anything.

    Also finds parameters that ``model.parameters()`` does not: in lists, dicts, other objects and closures.

    Args:
        model: the model; it is not changed and not run.
        optimizers: those that are to train it. Without any, nothing is said about who holds what.

    Returns:
        An :class:`Inspection`; ``print`` it, show it in a notebook, or take ``to_dict()``.

    Raises:
        UsageError: if ``model`` is no module, or one of ``optimizers`` is none (parameters, say).

    >>> import torch, whygrad
    >>> model = torch.nn.Linear(3, 1)
    >>> seen = whygrad.inspect(model, torch.optim.SGD([model.weight], lr=0.1))
    >>> [(p.rule, p.parameters) for p in seen.problems]
    [('parameter-not-in-optimizer', ('bias',))]
    """
    _known(model, optimizers)
    with torch.no_grad():
        named = _find(model)
        rows = tuple([_row(tensor, name, named, optimizers) for tensor, name in named])
        found = problems(model, rows, [tensor for tensor, _ in named], optimizers)
    return Inspection(type(model).__name__, rows, tuple(found))


def _known(model: Any, optimizers: tuple[Any, ...]) -> None:
    """Bad input is told before anything is looked at."""
    if not isinstance(model, torch.nn.Module):
        raise UsageError(f"inspect() takes a model (a torch.nn.Module), not {type(model).__name__}.")
    for optimizer in optimizers:
        if not hasattr(optimizer, "param_groups"):
            raise UsageError(
                f"inspect() takes optimizers after the model, not {type(optimizer).__name__}: "
                "inspect(model, optimizer)."
            )


def _find(model: torch.nn.Module) -> list[tuple[torch.Tensor, Name]]:
    """The parameters of the module tree under every name they have, then those that are hidden from it."""
    recorder = Recorder(Stacks(""), Problems())
    modules = Modules(recorder)
    for module in model.modules():
        modules.find(module)
    found = Ownership(modules, recorder.params, None)
    index = next(i for i, root in enumerate(found.roots) if root is model)
    own = [
        (parameter, Name(name, index, model))
        for name, parameter in model.named_parameters(remove_duplicate=False)
    ]
    known = {id(tensor) for tensor, _ in own}
    hidden = [
        (tensor, name)
        for tensor, name in found.hidden
        if name.root == index and id(tensor) not in known and _could_train(tensor)
    ]
    return [*own, *hidden]


def _could_train(tensor: torch.Tensor) -> bool:
    return issubclass(type(tensor), torch.nn.Parameter) or tensor.requires_grad


def _row(
    tensor: torch.Tensor,
    name: Name,
    named: list[tuple[torch.Tensor, Name]],
    optimizers: tuple[torch.optim.Optimizer, ...],
) -> Row:
    held = next(
        (
            (type(o).__name__, number, group)
            for o in optimizers
            for number, group in enumerate(o.param_groups)
            if any(p is tensor for p in group["params"])
        ),
        None,
    )
    lazy = torch.nn.parameter.is_lazy(tensor)
    return Row(
        fqn=name.fqn,
        shape=() if lazy else tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        requires_grad=tensor.requires_grad,
        leaf=tensor.is_leaf,
        registered=name.registered,
        hidden=name.hidden,
        shared=tuple([] if lazy else [n.fqn for x, n in named if n is not name and _same(x, tensor)]),
        optimizer=held[0] if held else None,
        group=held[1] if held else None,
        lr=float(held[2]["lr"]) if held and "lr" in held[2] else None,
        weight_decay=float(held[2]["weight_decay"]) if held and "weight_decay" in held[2] else None,
        initial=None if lazy or tensor.is_meta else initial(tensor),
        lazy=lazy,
    )


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one is other:
        return True
    if torch.nn.parameter.is_lazy(one) or one.is_meta or other.is_meta or not one.numel():
        return False
    return one.data_ptr() == other.data_ptr() and one.shape == other.shape
