"""Questions to a model that need it to be run again: do samples of a batch stay apart, are its gradients right?

Whoever asks holds the state of the model and puts it back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from whygrad.observe.patching import Patches

_SAME = (
    1e-4  #: of the outputs' standard deviation: kernels round differently for other batches, by about 1e-7
)


class Mixed(NamedTuple):
    """What became of the other samples' outputs when one input was exchanged: see :class:`whygrad.trace.Checked`."""

    samples: int = 0
    exchanged: int = -1
    mixed: tuple[int, ...] = ()
    change: float = 0.0
    module: str = ""


def mixed(model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mixed:
    """Exchange one sample of a batch for another one, in evaluation mode, and look at the outputs of the rest.

    Nothing is said (``samples`` 0) where inputs and output do not have the batch as their first dimension, where all
    samples are alike, where two runs on the same batch differ, or where the model raises in evaluation mode."""
    try:
        return _mixed(model, args, kwargs)
    except Exception:
        return Mixed()


def _mixed(model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mixed:
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor) and a.dim()]
    count = len(tensors[0]) if tensors else 0
    if count < 2 or any(len(x) != count for x in tensors):
        return Mixed()
    first = tensors[0]
    other = next((j for j in range(1, count) if not torch.equal(first[j], first[0])), None)
    if other is None:
        return Mixed()
    model.eval()
    changed = _exchanged(args, kwargs, other)
    with torch.no_grad():
        before, after = (_run(model, *given, count) for given in ((args, kwargs), changed))
        if not before.whole or not after.whole:
            return Mixed()
        moved, most = _differ(before.whole[0], after.whole[0], other)
        if not moved:
            return Mixed(count, other, (), most)
        again = _run(model, args, kwargs, count)
    if not again.whole or _differ(before.whole[0], again.whole[0], -1)[1]:
        return Mixed()
    inner = next(
        (
            name
            for (name, one), (_, two) in zip(before.inner, after.inner, strict=False)
            if _differ(one, two, other)[0]
        ),
        "",
    )
    return Mixed(count, other, tuple(moved), most, inner)


class _Outputs(NamedTuple):
    """The output of a model, and of its modules by name, in the order in which they were done."""

    whole: list[torch.Tensor]
    inner: list[tuple[str, torch.Tensor]]


def _run(model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any], count: int) -> _Outputs:
    inner: list[tuple[str, torch.Tensor]] = []

    def note(name: str) -> Callable[..., None]:
        def done(module: torch.nn.Module, given: Any, output: Any) -> None:
            found = _output(output, count)
            if found is not None:
                inner.append((name, found))

        return done

    handles = [m.register_forward_hook(note(name)) for name, m in model.named_modules() if name]
    try:
        output = _output(model(*args, **kwargs), count)
    finally:
        for handle in handles:
            handle.remove()
    return _Outputs([] if output is None else [output], inner)


def _differ(one: torch.Tensor, two: torch.Tensor, exchanged: int) -> tuple[list[int], float]:
    """The rows that differ, but for the exchanged one, and by how much at most, in standard deviations of ``one``."""
    if one.shape != two.shape:
        return [], 0.0
    rows = (two - one).reshape(len(one), -1).abs().amax(1)
    scale = float(one.std()) or 1.0
    by = {j: float(d) / scale for j, d in enumerate(rows) if j != exchanged and float(d) / scale > _SAME}
    return list(by), max(by.values(), default=0.0)


def _exchanged(args: Sequence[Any], kwargs: Mapping[str, Any], at: int) -> tuple[list[Any], dict[str, Any]]:
    def one(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.dim():
            return value
        value = value.detach().clone()
        value[at] = value[0]
        return value

    return [one(a) for a in args], {k: one(v) for k, v in kwargs.items()}


def _output(output: Any, count: int) -> torch.Tensor | None:
    """The first tensor of floating-point numbers with one row for each sample."""
    if isinstance(output, torch.Tensor):
        fits = output.dim() and len(output) == count and output.is_floating_point()
        return output.detach() if fits else None
    if isinstance(output, Mapping):
        output = list(output.values())
    if isinstance(output, (tuple, list)):
        return next((x for item in output if (x := _output(item, count)) is not None), None)
    return None


def functions_checked(run: Callable[[], object]) -> tuple[tuple[str, str], ...]:
    """``torch.autograd.gradcheck``, in double precision, for every custom autograd Function that ``run`` applies.

    Each is checked on the inputs of its first call. Returns (name, what gradcheck said; empty if it agrees)."""
    calls: dict[Any, tuple[Any, ...]] = {}
    patches = Patches()
    original = torch.autograd.Function.__dict__["apply"].__func__

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        calls.setdefault(cls, args)
        return original(cls, *args, **kwargs)

    patches.set(torch.autograd.Function, "apply", classmethod(apply))
    try:
        run()
    finally:
        patches.undo()
    return tuple([(cls.__name__, _gradcheck(cls, args)) for cls, args in calls.items()])


def _gradcheck(cls: Any, args: tuple[Any, ...]) -> str:
    given = [_double(a) for a in args]
    if not any(isinstance(a, torch.Tensor) and a.requires_grad for a in given):
        return ""
    try:
        torch.autograd.gradcheck(cls.apply, given, fast_mode=True)
    except Exception as error:  # what gradcheck says, or what the Function itself raises on these inputs
        return str(error).strip().splitlines()[0]
    return ""


def _double(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value.detach().double().clone().requires_grad_(value.requires_grad)


def doubled(batch: Any) -> Any:
    """A batch with its floating-point tensors in double precision."""
    if isinstance(batch, torch.Tensor):
        return batch.double() if batch.is_floating_point() else batch
    if isinstance(batch, Mapping):
        return {key: doubled(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(doubled(value) for value in batch)
    return batch
