"""The workers of a DataLoader all draw the same random numbers.

## What it means

A generator of random numbers (`numpy.random.default_rng`, `RandomState`, `random.Random`, `torch.Generator`) that a
dataset or transform has made once is copied into every worker process. Each worker then draws the same sequence: the
random crops of one worker are those of the other. The workers of the next epoch are copies of the same original again, so
that each epoch repeats the first.

A `worker_init_fn` that sets a constant seed (`np.random.seed(0)`) does the same to the global generators, which torch had
seeded differently for each worker.

## How to recognise it

whygrad compares the batches that different workers deliver, and those of one epoch with the next. Without an equal batch
(the same shift may be applied to different images) it says that the generator is there, and that nothing seeds it in the
workers.

## Example

```python
class Crops(Dataset):
    def __init__(self, signal):
        self.rng = np.random.default_rng(7)

    def __getitem__(self, i):
        start = self.rng.integers(0, 1000)

loader = DataLoader(Crops(signal), batch_size=16, num_workers=4)
```

## Use instead

```python
    def __getitem__(self, i):
        if self.rng is None:                        # made in the worker, from the seed that torch gave it
            self.rng = np.random.default_rng(torch.initial_seed() % 2**32)
```

Or a `worker_init_fn` that seeds `torch.utils.data.get_worker_info().dataset.rng`, or torch's own functions, which are
seeded for each worker; since torch 1.9 `numpy.random.*` and `random.*` are, too.

## Not this rule

A `worker_init_fn` whose seed depends on the worker. Data without random numbers that come in the same order in each
epoch, a generator that is seeded for each item, and loaders without workers.

## References

- https://docs.pytorch.org/docs/stable/data.html#data-loading-randomness
- https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
- https://github.com/pytorch/pytorch/issues/5059
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.feeding import Feeding

_FIX = (
    "Make the generator in the worker, from torch.initial_seed() (it differs between workers and epochs), "
    "or seed it in a worker_init_fn."
)


def check(graph: Graph) -> Iterator[Finding]:
    """Batches that repeat between workers or epochs; failing that, a generator that nothing seeds."""
    feeding = Feeding(graph)
    told: set[int] = set()
    for index, batches in feeding.training.items():
        loader = feeding.data.loaders[index]
        if not loader.workers or loader.created in told:
            continue
        pairs, repeated = _between_workers(loader, batches)
        epochs = _between_epochs(batches)
        if pairs:
            title = f"{loader.workers} workers deliver the same data: {repeated} of {pairs} batches repeat another worker's"
        elif epochs and loader.random:
            title = f"each epoch repeats the random numbers of the first: {epochs} batches are the same, bit for bit"
        elif loader.workers > 1 and loader.random and not loader.seeded:
            title = f"{loader.workers} workers start from copies of one generator of random numbers, and draw the same"
        elif loader.workers > 1 and loader.worker_seeds:
            title = f"worker_init_fn sets the same seed in each of {loader.workers} workers: all draw the same numbers"
        else:
            continue
        told.add(loader.created)
        made = [s for i in loader.random for s in graph.sites(i, "generator", 0)]
        made += [s for i in loader.worker_seeds for s in graph.sites(i, "seed", 0)]
        items = [s for i in loader.items[:1] for s in graph.sites(i, "returned", 0)] if not made else []
        yield Finding(
            rule="worker-random-state",
            severity="error" if pairs and loader.random else "warning",
            title=title,
            link=10,
            causes=distinct([*made, *items, *graph.sites(loader.created, "loader", 0)])[:3],
            evidence={
                "workers": loader.workers,
                "repeated_batches": repeated,
                "repeated_in_next_epoch": epochs,
            },
            fix=_SEED if loader.worker_seeds else _FIX if loader.random or not loader.iterable else _SHARE,
        )


_SEED = "Seed NumPy and random from torch.initial_seed() (it differs between workers and epochs), not with a constant."
_SHARE = "Let each worker take its own part of the data: see torch.utils.data.get_worker_info()."


def _between_workers(loader: t.Loader, batches: list[t.Batch]) -> tuple[int, int]:
    """(rounds in which every worker gave a batch, those in which some field was the same in all of them)."""
    rounds: dict[tuple[int, int], list[t.Batch]] = {}
    for batch in batches:
        rounds.setdefault((batch.turn, batch.number // loader.workers), []).append(batch)
    full = [r for r in rounds.values() if len(r) == loader.workers > 1]
    # what never changes at all, such as a constant condition, does not count
    contents: dict[str, set[int]] = {}
    for batch in batches:
        for field in batch.fields:
            contents.setdefault(field.name, set()).add(field.content)
    same = 0
    for one in full:
        if len({b.chosen for b in one}) == 1 and not loader.iterable:
            continue  # the same indices were asked for
        same += any(
            f.varied and f.distinct > 1 and len(contents[f.name]) > 1 and _all_have(one, f.name, f.content)
            for f in one[0].fields
        )
    return (len(full), same) if same and (same > 1 or len(full) == 1) and 2 * same > len(full) else (0, 0)


def _all_have(batches: list[t.Batch], name: str, content: int) -> bool:
    return all(any(f.name == name and f.content == content for f in b.fields) for b in batches)


def _between_epochs(batches: list[t.Batch]) -> int:
    """Batches of later passes that are those of the first, wholly."""
    first = {b.number: tuple(f.content for f in b.fields) for b in batches if b.turn == batches[0].turn}
    later = [b for b in batches if b.turn != batches[0].turn and b.number in first]
    same = [b for b in later if first[b.number] == tuple(f.content for f in b.fields) and b.fields]
    return len(same) if same and len(same) == len(later) else 0
