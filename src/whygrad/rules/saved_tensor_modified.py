"""A tensor that an operation had saved for its backward was modified in place before that backward ran.

## What it means

Many operations keep a tensor for the way back: multiplication its factors, `exp` and `relu` their result, a linear
layer its input and its weight. autograd gives every tensor a version number that each write in place raises. If the
number has changed when the kept tensor is needed, the gradient would be wrong, and backward raises "one of the
variables needed for gradient computation has been modified by an inplace operation".

## How to recognise it

The error names a shape and two version numbers, but no line. whygrad saw both: the operation that saved the tensor,
and the write in place that came after it. The write may be `+=`, an assignment to a slice, a method whose name ends in
`_`, or `optimizer.step()`, which writes the weights.

## Example

```python
h = torch.relu(self.first(x))
out = self.second(h)  # keeps h
h += x                # writes h
```

## Use instead

```python
h = torch.relu(self.first(x))
out = self.second(h)
h = h + x             # a new tensor
```

If the write is `optimizer.step()`: call every backward that needs the old weights before it, or run the forward pass
again after it. If the graph reaches back into an earlier iteration, detach what was carried over.

## Not this rule

Writes in place that no backward minds (after an addition, or into a buffer under `torch.no_grad()`) raise nothing.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
- https://docs.pytorch.org/docs/stable/autograd.html#in-place-operations-on-tensors
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.modifying import Write, shape_in, versions, writes_after
from whygrad.graph.sharing import Shared, shared_with_earlier

_MESSAGE = "has been modified by an inplace operation"
_SIGNS = {"+=": ("add",), "-=": ("sub",), "*=": ("mul",), "/=": ("div", "truediv"), "**=": ("pow",)}


def check(graph: Graph) -> Iterator[Finding]:
    """The write, the operation that had saved the tensor, and the backward that needed it."""
    raised = graph.trace.raised
    if raised is None or _MESSAGE not in raised.message:
        return
    saver, last = raised.saver, len(graph.trace.backwards) - 1
    until = graph.trace.backwards[last].tick if last >= 0 else 0
    shape = shape_in(raised.message)
    writes = writes_after(graph, saver, until, shape) if saver >= 0 else []
    old = shared_with_earlier(graph, last, saver) if saver >= 0 else None
    carried = _carried(graph, old) if writes and writes[0].step else []
    yield Finding(
        rule="saved-tensor-modified",
        severity="error",
        title=_title(graph, saver, writes, bool(carried)),
        causes=distinct(
            [*carried, *_places(graph, saver, writes), *graph.sites(raised.stack, "backward", 0)]
        ),
        evidence=_evidence(raised.message, shape),
        fix=_fix(graph, saver, writes, bool(carried)),
    )


def _carried(graph: Graph, old: Shared | None) -> list[Site]:
    """Where an earlier iteration's graph, with the weights of then, is taken up again."""
    if (
        old is None
        or not old.carries
        or graph.trace.backwards[old.first].stack != graph.trace.backwards[old.second].stack
    ):
        return []
    return [s for carry in old.carries for s in graph.op_sites(carry.users[0], "carried over", 0)]


def _places(graph: Graph, saver: int, writes: list[Write]) -> list[Site]:
    places = [s for write in writes[:3] for s in graph.sites(write.stack, "modified", 1)]
    return [*places, *graph.op_sites(saver, "saved", 1)] if saver >= 0 else places


def _title(graph: Graph, saver: int, writes: list[Write], carried: bool) -> str:
    if carried:
        return (
            "backward went back into an earlier iteration, whose weights optimizer.step() has changed since"
        )
    what = (
        f"tensor that {graph.label(saver)} had saved for backward"
        if saver >= 0
        else "tensor that backward needs"
    )
    by = f" by {_written(graph, writes[0])}" if writes else ""
    return f"the {what} was modified in place{by} before backward ran"


def _written(graph: Graph, write: Write) -> str:
    """A write as the user wrote it."""
    code = graph.sites(write.stack)[0].code if write.stack >= 0 else ""
    sign = next((s for s in _SIGNS if s in code and write.name.lstrip("i").startswith(_SIGNS[s])), "")
    if write.step:
        return "optimizer.step()"
    if write.name == "setitem":
        return "an assignment to a part of it"
    return f"`{sign or write.name}`"


def _evidence(message: str, shape: tuple[int, ...] | None) -> dict[str, object]:
    found = versions(message)
    evidence: dict[str, object] = {} if shape is None else {"shape": list(shape)}
    return (
        evidence
        if found is None
        else {"saved_version": found[1], "version_at_backward": found[0], **evidence}
    )


def _fix(graph: Graph, saver: int, writes: list[Write], carried: bool) -> str:
    if carried:
        return "Detach what is carried over from one iteration to the next, and call backward without retain_graph=True."
    if writes and writes[0].step:
        return "Call this backward before the step, or compute its loss again after it."
    by = _written(graph, writes[0]).strip("`") if writes else ""
    if by in _SIGNS:
        return (
            f"Make a new tensor: `x = x {by[0]} y` instead of `x {by} y`. Or clone it before it is written."
        )
    if by.startswith("an assignment"):
        return (
            "Build a new tensor with torch.where, torch.cat or torch.stack. Or clone it before it is written."
        )
    return (
        "Make a new tensor: use the operation that does not work in place. Or clone it before it is written."
    )
