"""`view` or `reshape` was used to exchange axes: it only reads the same memory with other sizes.

## What it means

`view` and `reshape` keep the order of the numbers. They can split an axis and merge neighbouring axes, but they can't
exchange two. If the sizes happen to multiply to the same total, asking for `[batch, time, heads * d]` from a tensor
`[batch, heads, time, d]` raises nothing; yet what is called one time step afterwards is glued together from pieces of
several. The same with `[time, batch, features]` read as `[batch, time, features]`: a "sample" then holds parts of
others. Everything trains, and the model learns from scrambled input.

## How to recognise it

The mapping is pure arithmetic, so no measurement is needed: whygrad computes from both shapes which positions of the
input end up at one position of the output. It reports a reshape within a model if its sizes are those of the input's
axes in another order, or if a border between two axes of the output falls inside an element of an axis of the input.

## Example

```python
context = attention @ v                                  # [batch, heads, time, d]
context = context.reshape(batch, time, heads * d)        # time steps and heads are mixed
```

## Use instead

```python
context = attention @ v                                  # [batch, heads, time, d]
context = context.transpose(1, 2).reshape(batch, time, heads * d)
```

`permute`, `transpose` and `movedim` exchange axes; `view` and `reshape` split and merge what is then adjacent.

## Not this rule

Flattening, splitting channels into heads or groups, patches and pixel shuffle by split, permute and merge, stacking
neighbouring frames (`[T, F] -> [T/k, k*F]`), axes of size 1, the shift of relative attention (pad, view, slice), a
reshape that the next one undoes. Where both axes have the same size the mistake can't be seen in the shapes.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
- https://docs.pytorch.org/docs/stable/generated/torch.permute.html
- https://github.com/jsbaan/transformer-from-scratch/pull/6
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.regrouping import gathered
from whygrad.graph.reshapes import Crossed, crossed

EXPLAINS = ("samples-mixed",)


def check(graph: Graph) -> Iterator[Finding]:
    """Reshapes on the way to a loss that cut across axes."""
    for one in crossed(graph):
        before, after = list(one.given), list(one.wanted)
        behind = graph.flow.upstream(graph.trace.ops[one.op].ins[:1]) if one.op >= 0 else set()
        params = [graph.trace.values[v].param for v in behind if graph.trace.values[v].param >= 0]
        yield Finding(
            rule="view-instead-of-transpose",
            severity="error",
            title=f"{one.name} reads {before} as {after}: that does not exchange axes, it mixes them{_example(one)}",
            parameters=graph.names(params),
            link=10,
            causes=graph.sites(one.stack, "mixed", 1),
            evidence={"from": str(before), "to": str(after), "example": _example(one).removeprefix("; ")},
            fix="Put the axes into the order that is wanted first (transpose, permute or movedim), and let "
            f"{one.name} only split axes or merge neighbouring ones.",
        )


def _example(one: Crossed) -> str:
    held = gathered(one.crossing)
    if held is None:
        return ""
    place, axis, positions = held
    shown = ", ".join(map(str, positions[:6])) + (", ..." if len(positions) > 6 else "")
    return f"; position 0 of its dimension {place} holds parts of the positions {shown} of dimension {axis}"
