"""A state was loaded that leaves out what the model needs, and nothing said so.

## What it means
With ``strict=False`` names that do not fit are left out in silence. Where a whole prefix differs (``module.`` of a wrapper,
``backbone.``, a dictionary around the state), no name fits at all; where one word differs, a whole part of the model is
left out. A filter of one's own (``k in own and v.shape == own[k].shape``) can drop everything, too. The model trains from
random values while it seems to be pretrained; parts that are frozen stay random for good.

Two names of one parameter (tied weights) are saved once by formats that drop what shares memory. ``load_state_dict(...,
assign=True)`` puts new parameters in the place of the old ones: afterwards the two names are two parameters, one of which
may not have been in the state.

## How to recognise it
``print(model.load_state_dict(state, strict=False))`` shows missing and unexpected keys that differ by a prefix only.

## Example
```python
state = torch.load("resnet.pt")  # {"module.conv1.weight": ...}
model.load_state_dict(state, strict=False)
```

## Use instead
```python
state = torch.load("resnet.pt")
model.load_state_dict({k.removeprefix("module."): v for k, v in state.items()})
```

## Not this rule
A new head on pretrained layers, adapters, an encoder alone: some names are missing, but what is missing trains. Reported are states of
which at most a tenth of the model's names fit, while others are left over (or none fits); even a backbone of a single layer
with a new head of one has half of them; two or more weight matrices that are in the state with the same shape under
a name that differs by a prefix or by one word; parameters that the state lacks, still at random and never trained, in
use; a state of the model's own weights right after a file was read; and tied weights that have come apart.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
- https://huggingface.co/docs/safetensors/torch_shared_tensors
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph

_RENAMED = 2  #: weight matrices: a single one may be a new head beside the old one
_SHARE = 0.1  #: of the names: less than that is no pretrained model with a new head


def check(graph: Graph) -> Iterator[Finding]:
    """States of which (almost) no name fits the module, or that miss what it needs."""
    told = set()
    for finding, stack in _hardly_any(graph):
        told.add(stack)
        yield finding
    for one in graph.trace.learning.restored:
        if one.stack in told:
            continue
        for tell in (_under_other_names, _left_at_random, _its_own, _torn):
            found = tell(graph, one)
            if found is not None:
                yield found
                break


def _hardly_any(graph: Graph) -> Iterator[tuple[Finding, int]]:
    for one in graph.trace.learning.snapshots.loaded:
        if not one.missing or one.found > _SHARE * (one.found + one.missing):
            continue
        if not one.unexpected and one.found:
            continue  # adapters, a head: a small part on its own
        whole = "nothing" if not one.found else f"only {one.found} of {one.found + one.missing} names"
        has = one.example[1] or "nothing"
        finding = Finding(
            rule="incomplete-checkpoint",
            severity="error" if not one.found else "warning",
            title=f"load_state_dict(strict=False) loaded {whole}: it has {has}, the model {one.example[0]}",
            parameters=graph.names(one.params),
            link=10,
            causes=graph.sites(one.stack, "loaded", 1),
            evidence={"fitting": one.found, "missing": one.missing, "unexpected": one.unexpected},
            fix="Make the names fit (removeprefix), and load with strict=True.",
        )
        yield finding, one.stack


def _under_other_names(graph: Graph, one: t.Restored) -> Finding | None:
    if one.renamed_count < _RENAMED:
        return None
    name, other = one.renamed[0]
    return Finding(
        rule="incomplete-checkpoint",
        severity="warning",
        title=f"load_state_dict(strict=False) left out {one.renamed_count} of {one.weights} weights that the state has under "
        f"another name: {other} for {name}",
        parameters=graph.names(one.lacking),
        link=10,
        causes=graph.sites(one.stack, "loaded", 1),
        evidence={"renamed": one.renamed_count, "weights": one.weights},
        fix="Make the names fit, and load with strict=True.",
    )


def _left_at_random(graph: Graph, one: t.Restored) -> Finding | None:
    used = {graph.trace.values[v].param for history in graph.flow.loss_histories for v in history}
    still = [i for i in one.lacking if graph.at_random(i) and i in used and not _trains(graph, i)]
    if not still or not one.loaded or not graph.trace.backwards:
        return None
    return Finding(
        rule="incomplete-checkpoint",
        severity="warning",
        title=f"{graph.count(still)} are not in the state that was loaded, and never trained: they stay at their random "
        "values",
        parameters=graph.names(still),
        link=10,
        causes=graph.sites(one.stack, "loaded", 1),
        evidence={"lacking": len(one.lacking), "loaded": len(one.loaded)},
        fix="Load a state that has them, or let them train (requires_grad, and in the optimizer).",
    )


def _trains(graph: Graph, param: int) -> bool:
    free = graph.trace.params[param].requires_grad and param in graph.updates.holders
    return free or graph.updates.trained(param) or bool(graph.updates.touching("write", param))


def _its_own(graph: Graph, one: t.Restored) -> Finding | None:
    origins = {i: graph.trace.params[i].origin for i in one.loaded}
    fresh = [i for i, origin in origins.items() if origin & t.RANDOM and not origin & t.LOADED]
    if not one.own or one.passes or not fresh:
        return None
    return Finding(
        rule="incomplete-checkpoint",
        severity="warning",
        title="load_state_dict was given the model's own weights: of the file that was read nothing has got into it",
        parameters=graph.names(fresh),
        link=10,
        causes=graph.sites(one.stack, "loaded", 1),
        evidence={"parameters": len(fresh)},
        fix="Look at which names the file has, and load with strict=True.",
    )


def _torn(graph: Graph, one: t.Restored) -> Finding | None:
    if one.torn is None:
        return None
    first, second = one.torn
    return Finding(
        rule="incomplete-checkpoint",
        severity="warning",
        title=f"{first} and {second} were one parameter, and are two since load_state_dict(assign=True)",
        parameters=tuple(n for n in one.torn if n in {p.fqn for p in graph.trace.params}),
        link=10,
        causes=graph.sites(one.stack, "loaded", 1),
        evidence={"loaded": len(one.loaded), "lacking": len(one.lacking)},
        fix="Load without assign=True, or tie the two again afterwards, before the optimizer is made.",
    )
