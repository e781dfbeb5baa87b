"""Shapes that do not fit, told by what was to be done with them: a layer, a loss, a view, an assignment."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.finding import Site
from whygrad.graph.raising import called, module_of, sized

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_NORMS = ("batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm")
_VIEWS = ("view", "reshape", "expand", "unflatten", "view_as", "reshape_as", "expand_as")


class Misfit(NamedTuple):
    """What does not fit, the lines to change, the mend, and the parameter of the layer (-1: none)."""

    title: str
    places: list[Site]
    fix: str
    param: int = -1


def misfit(graph: Graph, error: t.Raised) -> Misfit:
    """The explanation of a call that raised because of its tensors' shapes."""
    ways: tuple[Callable[[Graph, t.Raised], Misfit | None], ...] = (_loss, _norm, _layer, _view, _assigned)
    found = next((m for way in ways if (m := way(graph, error)) is not None), None)
    if found is not None:
        return found
    shown = " and ".join(sized(g.shape) for g in error.tensors[:3])
    title = f"`{error.call}` was given tensors of shapes {shown}, which do not fit"
    return Misfit(title, _here(graph, error), "Make the shapes fit.")


def _here(graph: Graph, error: t.Raised) -> list[Site]:
    return list(graph.sites(error.stack, "raised", 0))


def _layer(graph: Graph, error: t.Raised) -> Misfit | None:
    """The input of a layer: arranged otherwise, or the layer was made for another size."""
    conv, weight = error.call.startswith("conv"), _weight(error, 2)
    given = next((g for g in error.tensors if g.param < 0), None)
    is_layer = (
        conv
        or "." in error.call
        or error.call.startswith(("linear", "bilinear", "multi_head", "lstm", "gru"))
    )
    if weight is None or given is None or not is_layer:
        return None
    layer = module_of(graph, weight.param) or called(graph, weight)
    wanted = weight.shape[1] * _whole(error.args.get("groups", "1"))
    if error.call.startswith("conv_transpose"):
        wanted = weight.shape[0]
    batched = len(given.shape) == len(weight.shape)
    seen = given.shape[1 if conv and batched else -1] if given.shape else 1
    title = (
        f"{layer} was made for {wanted} {'channels' if conv else 'features'}, "
        f"and was given a tensor of shape {sized(given.shape)}"
    )
    arranged = _arranged(conv, batched, given.shape, wanted, len(weight.shape))
    if arranged:
        return Misfit(title, _here(graph, error), arranged, weight.param)
    places = list(graph.sites(graph.trace.params[weight.param].created, "made for another size", 1, True))
    fix = f"Make {layer} for {seen} inputs, or bring the input to {wanted}."
    return Misfit(title, places, fix, weight.param)


def _arranged(conv: bool, batched: bool, shape: tuple[int, ...], wanted: int, dims: int) -> str:
    """How to arrange an input that has the right numbers in the wrong order, empty if that is not it."""
    if conv and shape and shape[-1] == wanted:
        return "Put the channels first: x.permute(0, 3, 1, 2) for images."
    if conv and not batched:
        return f"Give it a batch: {dims} dimensions, the second of {wanted} channels."
    if not conv and len(shape) > 2 and math.prod(shape[1:]) == wanted:
        return "Flatten the input first: x.flatten(1)."
    if not conv and len(shape) == 2 and shape[0] == wanted:
        return "Transpose the input: its features stand in the first dimension."
    return ""


def _norm(graph: Graph, error: t.Raised) -> Misfit | None:
    """A normalisation of another number of features, or of a batch of one."""
    weight = _weight(error, 1)
    if error.call not in _NORMS or not error.tensors:
        return None
    given = error.tensors[0]
    if "more than 1 value per channel" in error.message:
        title = f"a batch of one, of shape {sized(given.shape)}, has no variance to normalise by"
        return Misfit(
            title, _here(graph, error), "Drop the last batch (drop_last=True), or use LayerNorm or GroupNorm."
        )
    if weight is None:
        return None
    layer = module_of(graph, weight.param) or called(graph, weight)
    title = f"{layer} was made for {weight.shape[0]} features, and was given a tensor of shape {sized(given.shape)}"
    places = list(graph.sites(graph.trace.params[weight.param].created, "made for another size", 1, True))
    return Misfit(title, places, f"Make {layer} for the features that its input has.", weight.param)


def _loss(graph: Graph, error: t.Raised) -> Misfit | None:
    """The operands of a loss: another batch, classes in the wrong place, or a dimension of size 1 too many."""
    if not ("loss" in error.call or "entropy" in error.call) or len(error.tensors) < 2:
        return None
    output, target = error.tensors[0].shape, error.tensors[1].shape
    shapes = f"`{error.call}` was given an output of shape {sized(output)} and a target of {sized(target)}"
    if not output or not target:
        return None
    if output[0] != target[0]:
        op = _folded(graph, error.tensors[0].value, target[0])
        places = list(graph.op_sites(op, "changes the batch", 1)) if op >= 0 else _here(graph, error)
        by = f": {graph.label(op)} has made {output[0]} of {target[0]}" if op >= 0 else ""
        fix = "Keep the batch as the first dimension: x.flatten(1), or x.view(x.shape[0], -1)."
        return Misfit(
            f"`{error.call}` was given {output[0]} outputs and {target[0]} targets{by}", places, fix
        )
    if len(output) > 2 and output[:-1] == target:
        fix = "Move the classes to the second dimension: output.transpose(1, 2), or flatten both but for the classes."
        return Misfit(f"{shapes}: the classes stand last", _here(graph, error), fix)
    if math.prod(output) == math.prod(target):
        return Misfit(
            shapes, _here(graph, error), "Give both one shape: output.squeeze(1), or target.unsqueeze(1)."
        )
    return Misfit(shapes, _here(graph, error), "Give both the same shape.")


def _folded(graph: Graph, vid: int, batch: int) -> int:
    """The operation, back from a value, whose input had still ``batch`` rows; -1 if there is none."""
    value = graph.trace.values[vid]
    for _ in range(1000):
        if value.op < 0 or value.shape[:1] == (batch,):
            return -1
        before = [v for i in graph.trace.ops[value.op].ins if (v := graph.trace.values[i]).param < 0]
        if any(v.shape[:1] == (batch,) for v in before):
            return value.op
        value = next((v for v in before if v.op >= 0), t.Value(-1, (), "", False))
    return -1


def _view(graph: Graph, error: t.Raised) -> Misfit | None:
    """A view of another number of elements, or of elements that do not lie side by side."""
    if error.call not in _VIEWS or not error.tensors:
        return None
    shape = sized(error.tensors[0].shape)
    if "stride" in error.message:
        title = f"`{error.call}` of a tensor of shape {shape} whose elements do not lie in this order (it was transposed)"
        return Misfit(title, _here(graph, error), "Use reshape instead of view, or call .contiguous() first.")
    title = f"a tensor of shape {shape} can't be given another shape by `{error.call}`: {_first_line(error)}"
    return Misfit(
        title, _here(graph, error), "Give it a shape with as many elements; -1 stands for what is left."
    )


def _assigned(graph: Graph, error: t.Raised) -> Misfit | None:
    """A value that does not fit the part that it is assigned to."""
    if error.call != "__setitem__" or len(error.tensors) < 2:
        return None
    target, value = error.tensors[0].shape, error.tensors[-1].shape
    title = f"a value of shape {sized(value)} was assigned to a part of a tensor of shape {sized(target)}"
    return Misfit(title, _here(graph, error), "Assign a value of the shape of that part.")


def _weight(error: t.Raised, dims: int) -> t.Given | None:
    return next((g for g in error.tensors if g.param >= 0 and len(g.shape) >= dims), None)


def _whole(text: str) -> int:
    return int(text) if text.isdigit() else 1


def _first_line(error: t.Raised) -> str:
    return error.message.partition("\n")[0].rstrip(".")
