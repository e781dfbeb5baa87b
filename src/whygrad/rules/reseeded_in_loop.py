"""A seed is set again and again, so that the random numbers of each step (or each item) are the same.

## What it means

`torch.manual_seed(0)` belongs at the beginning. In the loop it makes every step drop the same units, add the same noise
and draw the same rows; in `__getitem__` each image gets the same "random" crop, and everything else that draws random
numbers in the same process starts again as well. What was meant to vary is a constant.

## How to recognise it

whygrad keeps a hash of the generator's state wherever random numbers are drawn: the same state at the same place, step
after step, is the same numbers.

## Example

```python
for x, y in loader:
    torch.manual_seed(0)
    loss = F.cross_entropy(model(x), y)      # the dropout masks are the same in each step
```

## Use instead

```python
torch.manual_seed(0)
for x, y in loader:
    loss = F.cross_entropy(model(x), y)
```

## Not this rule

A generator with a constant seed that only permutes or chooses (the same order of pixels for all items). A seed that
differs from step to step or from item to item, a seed before an evaluation, fixed noise from a generator of its own,
`torch.random.fork_rng`, and states that are saved and put back.

## References

- https://docs.pytorch.org/docs/stable/notes/randomness.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.feeding import Feeding

_TIMES = 3  #: in a row
_FIX = "Set the seed once, before the loop."


def check(graph: Graph) -> Iterator[Finding]:
    """The same numbers at one place, draw after draw, with a seed in between; seeds in `__getitem__`."""
    chance = graph.trace.learning.chance
    found = False
    if not chance.restores:
        for finding in (*_repeated(graph, chance), *_numpy(graph, chance)):
            if not found:
                yield finding
            found = True
    if not found:
        yield from _items(graph)


def _repeated(graph: Graph, chance: t.Chance) -> Iterator[Finding]:
    for stack, numbers in group((d.stack, n) for n, d in enumerate(chance.draws)):
        draws = [chance.draws[n] for n in numbers]
        own = draws[0].own
        if own and (not draws[0].whole or _in_item(graph, draws[0].stack)):
            continue  # noise that is meant to be fixed has a generator of its own; an order may be the same for all items
        run = _longest(draws)
        if len(run) < _TIMES or not graph.trace.backwards or len(run) < len(draws) / 2:
            continue
        steps = len({d.backward for d in run})
        seeds = [
            r
            for r in chance.reseeds
            if run[0].tick <= r.tick <= run[-1].tick and r.how == "torch.manual_seed"
        ]
        places = [
            s for stack_ in dict.fromkeys(r.stack for r in seeds) for s in graph.sites(stack_, "seed", 0)
        ]
        places += [s for line in (run[0].remade if own else ()) for s in graph.sites(line, "seed", 0)]
        if not places or len({r.seed for r in seeds}) > 1 or (own and steps < _TIMES):
            continue
        where = f"in {steps} steps in a row" if steps >= _TIMES else f"{len(run)} times in a row"
        yield Finding(
            rule="reseeded-in-loop",
            severity="warning",
            title=f"`{run[0].name}` draws the same random numbers {where}: the seed is set anew each time",
            link=10,
            causes=distinct([*places[:2], *graph.sites(int(str(stack)), "drawn", 0)])[:3],
            evidence={"draws": len(run), "steps": steps},
            fix=_FIX,
        )


def _in_item(graph: Graph, stack: int) -> bool:
    frames = graph.trace.stacks[stack] if stack >= 0 else ()
    return any(graph.trace.frames[f].function.endswith("__getitem__") for f in frames)


def _longest(draws: list[t.Draw]) -> list[t.Draw]:
    """The longest run of draws that left the same state; of several in one step the first counts where steps repeat."""
    best: list[t.Draw] = []
    firsts = [d for n, d in enumerate(draws) if not n or draws[n - 1].backward != d.backward]
    for sequence in (draws, firsts):
        run: list[t.Draw] = []
        for draw in sequence:
            run = [*run, draw] if run and run[-1].state == draw.state else [draw]
            best = run if len(run) > len(best) else best
    return best


def _numpy(graph: Graph, chance: t.Chance) -> Iterator[Finding]:
    """NumPy's and Python's generators are not seen, but the batches that they choose are."""
    seeds = [r for r in chance.reseeds if r.how != "torch.manual_seed"]
    feeding = Feeding(graph)
    for stack, numbers in group((r.stack, n) for n, r in enumerate(seeds)):
        own = [seeds[n] for n in numbers]
        steps = {r.backward for r in own} & set(feeding.passes)
        fed = [f for b in sorted(steps) for f in feeding.inputs(b)[:1]]
        anew = len({f.made for f in fed}) == len(fed)
        if (
            len(steps) < _TIMES
            or len({r.seed for r in own}) > 1
            or len({f.content for f in fed}) != 1
            or not anew
        ):
            continue
        yield Finding(
            rule="reseeded-in-loop",
            severity="warning",
            title=f"{own[0].how} sets the same seed in {len(steps)} steps in a row, and each gets the same batch",
            link=10,
            causes=graph.sites(int(str(stack)), "seed", 1),
            evidence={"steps": len(steps)},
            fix=_FIX,
        )


def _items(graph: Graph) -> Iterator[Finding]:
    feeding = Feeding(graph)
    for index in feeding.training:
        loader = feeding.data.loaders[index]
        if loader.reseeds:
            yield Finding(
                rule="reseeded-in-loop",
                severity="warning",
                title=f"each item of {loader.dataset} sets the same seed: what is random in it is the same for all",
                link=10,
                causes=distinct([s for stack in loader.reseeds for s in graph.sites(stack, "seed", 0)])[:3],
                fix="Leave the seed alone in `__getitem__`, or make it depend on the item: seed + index.",
            )
