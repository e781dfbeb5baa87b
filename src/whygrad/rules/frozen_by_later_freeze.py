"""A freeze of the whole model also froze layers that were added to be trained."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters created after their model, trainable when created, then frozen together with older ones."""
    params = graph.trace.params
    frozen = [i for i in graph.sick(0) if params[i].flips and i in graph.flow.by_value]
    for stack, indices in group((params[i].flips[-1].stack, i) for i in frozen):
        added = [i for i in indices if _added(graph, i)]
        if not added or not _blanket(graph, int(str(stack)), added):
            continue
        dead = [i for i in added if _all_zero(params[i]) and len(params[i].shape) > 1]
        yield Finding(
            rule="frozen-by-later-freeze",
            severity="error" if dead else "warning",
            title=f"{graph.count(added)} were added to the model and then frozen with all the rest",
            parameters=graph.names(added),
            link=2,
            causes=graph.sites(int(str(stack)), "frozen", 1)
            + graph.sites(params[added[0]].created, "created", 0),
            evidence={
                "requires_grad": False,
                "grad_norm": None,
                "weight_change": 0.0,
                "all_zero": len(dead),
            },
            fix="Freeze the model before the new layers are added, or switch the new ones back on afterwards "
            "(requires_grad_(True)); build the optimizer after that.",
        )


def _added(graph: Graph, index: int) -> bool:
    """Made by the user's own code, trainable, at random or zero values, once its model already had parameters."""
    param = graph.trace.params[index]
    fresh = param.origin & (t.RANDOM | t.ZEROS) and not param.origin & (t.LOADED | t.PARAMETER)
    if not fresh or param.created < 0:
        return False
    older = [p for p in graph.trace.params if p.root == param.root and p.created >= 0 and p.registered]
    first = min(older, key=lambda p: p.created_tick, default=param)
    return not _same_construction(graph, first.created, param.created)


def _same_construction(graph: Graph, one: int, other: int) -> bool:
    """Whether two creations happened within one and the same call from the outermost user frame."""
    outer = [graph.trace.frames[graph.trace.stacks[s][-1]] for s in (one, other)]
    own = [_outermost_constructor(graph, s) for s in (one, other)]
    return (
        own[0] == own[1]
        if None not in own
        else (outer[0].file, outer[0].line) == (outer[1].file, outer[1].line)
    )


def _outermost_constructor(graph: Graph, stack: int) -> tuple[str, int] | None:
    """The call that built the whole model: the frame that called the outermost constructor."""
    frames = [graph.trace.frames[n] for n in graph.trace.stacks[stack]]
    inits = [i for i, f in enumerate(frames) if f.function.endswith("__init__")]
    if not inits or inits[-1] + 1 >= len(frames):
        return None
    caller = frames[inits[-1] + 1]
    return caller.file, caller.line


def _blanket(graph: Graph, stack: int, added: list[int]) -> bool:
    """Whether the same line froze other, older parameters too."""
    touched = {
        p for e in graph.updates.events.get("set-requires-grad", ()) if e.stack == stack for p in e.params
    }
    return bool(touched - set(added)) and any(not _added(graph, i) for i in touched - set(added))


def _all_zero(param: t.Param) -> bool:
    return param.last is not None and param.last[1] == 0
