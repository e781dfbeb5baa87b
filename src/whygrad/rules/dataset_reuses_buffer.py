"""All rows of a batch are the same, because every item is the same memory, filled anew.

## What it means

`__getitem__` writes into a tensor (or a NumPy array) that was allocated once, and returns that tensor itself. A
DataLoader first collects all items of a batch and then stacks them. By that time each of them shows what was written
last: the batch is one sample, as often as it has rows, beside labels that differ. The same happens to a list to which one
tensor is appended again and again, and to a replay buffer that keeps references to a state which the environment changes.

## How to recognise it

The rows of every batch are equal, from batch to batch they are others, and the targets differ from row to row. whygrad
also sees that the tensors which are stacked lie in one memory, and how often that was written in between.

## Example

```python
class Drawings(Dataset):
    def __init__(self):
        self.canvas = torch.zeros(1, 28, 28)

    def __getitem__(self, i):
        self.canvas.zero_()
        self.draw(i, self.canvas)
        return self.canvas, self.labels[i]
```

## Use instead

```python
    def __getitem__(self, i):
        canvas = torch.zeros(1, 28, 28)
        self.draw(i, canvas)
        return canvas, self.labels[i]        # or: return self.canvas.clone(), ...
```

## Not this rule

Rows that are equal on purpose: `expand` and `repeat` of one prompt or condition, constant inputs, batches with one row.
An input that never changes at all is only named if its memory was written as often as it was taken.

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
- https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group
from whygrad.graph.feeding import Feeding

_ROWS = 4  #: rows that are equal by chance less often than by mistake
_BATCHES = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Joined memory that was rewritten in between; batches of equal rows; inputs of equal rows."""
    feeding = Feeding(graph)
    found = list(_aliases(graph, feeding))
    yield from found or list(_batches(graph, feeding)) or list(_inputs(graph, feeding))


def _aliases(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    aliases = feeding.data.aliases
    for stack, numbers in group((a.stack, n) for n, a in enumerate(aliases)):
        own = [aliases[n] for n in numbers if aliases[n].count >= _ROWS]
        rewritten = [a for a in own if a.rewritten >= a.count - 1]
        wrapped = [a for a in own if not a.same_object]
        changing = (
            len(wrapped) >= _BATCHES
            and len({a.content for a in wrapped}) > 1
            and not _others_vary(feeding, own)
        )
        if not graph.trace.backwards or not (rewritten or changing):
            continue
        alias = (rewritten or own)[-1]
        causes = _places(graph, feeding, alias)
        how = f", which was written {alias.rewritten} times meanwhile" if rewritten else ""
        yield Finding(
            rule="dataset-reuses-buffer",
            severity="error",
            title=f"all {alias.count} rows that are stacked are the same memory{how}: each row is the last sample",
            link=10,
            causes=distinct([*causes, *graph.sites(int(str(stack)), "stacked", 0)])[:3],
            evidence={"rows": alias.count, "writes": alias.rewritten, "batches": len(own)},
            fix=_FIX,
        )


_FIX = "Return a copy (`.clone()`, `.copy()`) or allocate the tensor anew for each item."


def _others_vary(feeding: Feeding, aliases: list[t.SharedRows]) -> bool:
    """Whether other inputs of these passes have rows that differ: then the equal ones may be meant."""
    return any(f.distinct > 1 for a in aliases for f in feeding.inputs(a.backward) if f.shape[0] == a.count)


def _places(graph: Graph, feeding: Feeding, alias: t.SharedRows) -> list[Site]:
    returned = [s for stack in alias.returned for s in graph.sites(stack, "returned", 0)]
    written = graph.sites(alias.written, "written", 0)
    if returned or written:
        return [*returned[:1], *written, *returned[1:]]
    return [s for index in feeding.training for s in _items(graph, feeding.data.loaders[index])]


def _items(graph: Graph, loader: t.Loader) -> list[Site]:
    """Where the source writes and returns an array that it keeps; failing that, where an item is returned."""
    return [s for i in (loader.buffers or loader.items)[:2] for s in graph.sites(i, "returned", 0)]


def _batches(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    """Worker processes can't be looked into, nor NumPy: there the rows alone tell."""
    for index, batches in feeding.training.items():
        loader = feeding.data.loaders[index]
        whole = [b for b in batches if b.fields and all(f.shape and f.shape[0] >= _ROWS for f in b.fields)]
        names = [f.name for f in whole[0].fields] if len(whole) >= _BATCHES else []
        fields = {name: [f for b in whole for f in b.fields if f.name == name] for name in names}
        target = feeding.fed_field(index, "target")
        given = {n: f for n, f in fields.items() if n != target and len(f[0].shape) > 1}
        equal = [
            n for n, f in given.items() if all(x.distinct == 1 for x in f) and len({x.content for x in f}) > 1
        ]
        others = [f for n, f in fields.items() if n not in equal]
        differs = any(all(x.distinct > 1 for x in f) for f in others)
        if len(equal) != len(given) or not equal or not differs or not loader.items:
            continue
        yield Finding(
            rule="dataset-reuses-buffer",
            severity="warning",
            title=f"in all of {len(whole)} batches of {loader.dataset} the inputs of all rows are equal, the targets are not",
            link=10,
            causes=distinct([*_items(graph, loader), *graph.sites(loader.created, "loader", 0)])[:3],
            evidence={"batches": len(whole), "rows": whole[0].fields[0].shape[0]},
            fix=_FIX,
        )


def _inputs(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    """Batches made by hand."""
    passes = [b for b in feeding.passes if _equal_rows(feeding, b)]
    if len(passes) < _BATCHES or len(passes) < len(feeding.passes) - 1:
        return
    fed = [f for b in passes for f in feeding.inputs(b)]
    changes = len({f.content for f in fed}) > 1
    imported = all(f.origin & t.DATA and len(f.shape) > 1 and f.shape[-1] >= 4 for f in fed)
    if not imported or (not changes and fed[0].shape[0] < 8):
        return
    yield Finding(
        rule="dataset-reuses-buffer",
        severity="warning",
        title=f"in all of {len(passes)} passes the {fed[-1].shape[0]} rows of the input are equal, the targets are not",
        link=10,
        causes=graph.sites(fed[-1].created, "made", 1),
        evidence={"passes": len(passes), "rows": fed[-1].shape[0]},
        fix="If one array was put into a list again and again, put in copies (`.copy()`, `.clone()`).",
    )


def _equal_rows(feeding: Feeding, backward: int) -> bool:
    inputs, targets = feeding.inputs(backward), feeding.targets(backward)
    same = [f for f in inputs if f.shape[0] >= _ROWS and f.distinct == 1 and not f.repeated]
    differ = any(f.distinct > 1 and f.shape[0] == same[0].shape[0] for f in targets) if same else False
    return bool(inputs) and len(same) == len(inputs) and differ
