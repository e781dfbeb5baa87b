"""The path from the parameter to the loss runs where autograd is switched off.

## What it means

Inside `torch.no_grad()`, `torch.inference_mode()` or after `torch.set_grad_enabled(False)` operations keep no history,
so that their results require no gradient. Parameters that the loss sees only through such results get none. The first
place named is the one that switched autograd off: a block, a decorator, or a plain call that nobody undid.

## How to recognise it

`parameter.grad` stays `None`; `output.requires_grad` is `False` although the parameters require grad. If nothing at all
has a history, `backward` raises "element 0 of tensors does not require grad".

## Example

```python
def extract(model, loader):
    torch.set_grad_enabled(False)       # for the whole thread, and for good
    return [model(x) for x in loader]
```

## Use instead

```python
@torch.no_grad()
def extract(model, loader):
    return [model(x) for x in loader]
```

A closure called by an optimizer's own `step` needs `with torch.enable_grad():` around it. A generator must not keep a
`with torch.no_grad():` block open over a `yield`; the decorator is safe there.

## Not this rule

Evaluation, averaged copies of the weights, sampling and rollouts belong under `no_grad`. So does a frozen backbone.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
- https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, blamed, distinct, grad_off


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters used for the loss only under no_grad, inference_mode or set_grad_enabled(False)."""
    for indices, which, ops in blamed(graph, "no-grad"):
        events = [e for op in ops if (e := grad_off(graph, op)) is not None]
        hows = list(dict.fromkeys(str(e.data.get("how")) for e in events))
        off: list[Site] = [s for e in events[:3] for s in graph.sites(e.stack, "autograd off", 1)]
        ran = [s for op in ops[:3] for s in graph.op_sites(op, "cut", 3)]
        how = hows[0] if hows else "autograd being off"
        yield Finding(
            rule="no-grad-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: the forward pass runs under {how}",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([*off, *ran]),
            path=graph.path(indices[0], ops[0], which) if which >= 0 else (),
            evidence={"grad_norm": None, "autograd_off_by": how},
            fix=_fix(how),
        )


def _fix(how: str) -> str:
    if how == "set_grad_enabled":
        return "Use `with torch.no_grad():` around the part that needs no gradient, or switch autograd on again after it."
    if how.startswith("decorator"):
        return f"Take {how.removeprefix('decorator ')}() off this function, or run the forward pass inside `with torch.enable_grad():`."
    return "Move the forward pass of these parameters out of the block."
