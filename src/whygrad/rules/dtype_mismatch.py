"""An operation was given tensors of dtypes that do not go together.

## What it means

torch converts between dtypes in arithmetic, but not in matrix products, convolutions, losses and look-ups: "mat1 and
mat2 must have the same dtype", "expected scalar type Long but found Float". NumPy's numbers have 64 bits, a model's
32; class numbers and indices must be integers.

## How to recognise it

whygrad shows the tensor that differs from the rest of the model, and where its numbers came from, which is often far
from the line that raised.

## Example

```python
x = torch.from_numpy(table)             # float64
model(x)
```

## Use instead

```python
x = torch.from_numpy(table).float()
model(x)
```

Class numbers: `torch.tensor(labels, dtype=torch.long)`. A layer in half precision needs its inputs converted, or
`torch.autocast`.

## Not this rule

A whole model in float64 or bfloat16 is fine, as are integers that are only indices.

## References

- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype
- https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import called, labels, mismatch, origin, usual_dtype
from whygrad.graph.sharing import operations

_FLOATS = ("float", "bfloat", "complex")
_INDEXED = (
    "cross_entropy",
    "nll_loss",
    "embedding",
    "embedding_bag",
    "gather",
    "index_select",
    "__getitem__",
    "one_hot",
)


def check(graph: Graph) -> Iterator[Finding]:
    """The call, the tensor that differs, and where it got its dtype."""
    error = graph.trace.raised
    if error is None or mismatch(error) != "dtype":
        return
    odd, wanted = _odd(graph, error)
    places: list[Site] = origin(graph, odd, f"made {odd.dtype}") if odd is not None else _mixed(graph)
    what = f"`{error.call}`" if error.call != "backward" else "an operation of the forward pass"
    yield Finding(
        rule="dtype-mismatch",
        severity="error",
        title=f"{called(graph, odd)} is {odd.dtype}, where {what} needs {wanted}"
        if odd is not None
        else f"{what} was given tensors of different dtypes",
        parameters=graph.names([odd.param] if odd is not None and odd.param >= 0 else ()),
        causes=distinct([*places, *graph.sites(error.stack, "raised", 2)]),
        evidence={name: g.dtype for name, g in labels(graph, error.tensors[:4])},
        fix=_fix(odd, wanted),
    )


def _odd(graph: Graph, error: t.Raised) -> tuple[t.Given | None, str]:
    """The tensor to convert, and what to."""
    tensors, model = [g for g in error.tensors if g.dtype != "bool"], usual_dtype(graph)
    if error.call in _INDEXED and ("Long" in error.message or "long" in error.message):
        # a loss has its integers second, a look-up its integers first or alone
        wrong = [g for g in tensors if g.name != "self" and g.param < 0 and g.dtype.startswith(_FLOATS)]
        targets = [g for g in wrong if g.name == "target"] or wrong[1:2]
        loss = "loss" in error.call or "entropy" in error.call
        if wrong:
            return (targets or wrong)[0] if loss else wrong[0], "int64"
    whole = [g for g in tensors if not g.dtype.startswith(_FLOATS)]
    if "not implemented for" in error.message and whole:
        return whole[0], model or "float32"
    others = [g for g in tensors if g.dtype != model]
    if not others or not tensors:
        return None, ""
    # what a layer has that was converted by itself is odder than what came out of the rest of the model
    return next((g for g in others if g.param >= 0), others[0]), model or "a floating-point dtype"


def _mixed(graph: Graph) -> list[Site]:
    """For an error raised in backward: the operations of its graph that took floating-point values of two dtypes."""
    places: list[Site] = []
    for op in sorted(operations(graph.trace.backwards[-1]), reverse=True) if graph.trace.backwards else ():
        values = [graph.trace.values[v] for v in graph.trace.ops[op].ins]
        floats = [v for v in values if v.dtype.startswith(_FLOATS)]
        if len({v.dtype for v in floats}) > 1:
            data = [v for v in floats if v.dtype != usual_dtype(graph)]
            places += [
                s for v in data for stack in v.imports[:1] for s in graph.sites(stack, "other dtype", 1)
            ]
            places += graph.op_sites(op, "mixed dtypes")
    return places


def _fix(odd: t.Given | None, wanted: str) -> str:
    if odd is None:
        return "Convert one of them, so that both have the same dtype."
    if wanted == "int64":
        return "Make the numbers integers: dtype=torch.long, or .long() where they are loaded."
    if odd.param >= 0:
        return f"Keep the layer in {wanted} like the rest, or convert its input; for mixed precision use torch.autocast."
    return f"Convert it where it is made: .to(torch.{wanted})."
