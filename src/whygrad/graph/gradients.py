"""The autograd graph: what gradient each parameter got, and at which node it was lost."""

from __future__ import annotations

import math
from functools import cached_property

from whygrad import trace as t


class Loss:
    """Where the gradient of a parameter was lost in one backward pass: a node and the operation that made it."""

    __slots__ = ("backward", "how", "name", "node", "op")

    def __init__(self, backward: int, node: int, op: int, name: str, how: str) -> None:
        self.backward, self.node, self.op, self.name, self.how = backward, node, op, name, how


class Gradients:
    """Questions over the backward passes of a trace."""

    def __init__(self, trace: t.Trace) -> None:
        self.trace = trace
        self._kept: tuple[int, dict[int, list[tuple[int, float | None]]]] = (-1, {})
        self._known: dict[int, dict[int, Loss]] = {}

    @cached_property
    def of(self) -> dict[int, list[tuple[int, t.LeafGrad]]]:
        """Parameter index -> (backward pass, gradient) for every pass that brought one."""
        found: dict[int, list[tuple[int, t.LeafGrad]]] = {}
        for index, backward in enumerate(self.trace.backwards):
            silent = silent_edges(backward.nodes)
            deaf = _only_silent(backward.nodes, silent) if silent else set()
            for grad in backward.grads:
                own = t.LeafGrad(grad.param, 0.0, 0.0, 1.0) if -(grad.param + 2) in deaf else grad
                found.setdefault(grad.param, []).append((index, own))
        return found

    @cached_property
    def reached(self) -> dict[int, list[int]]:
        """Parameter index -> backward passes that have it in their autograd graph."""
        found: dict[int, list[int]] = {}
        for index, backward in enumerate(self.trace.backwards):
            for param in backward.reached:
                found.setdefault(param, []).append(index)
        return found

    def good(self, param: int) -> list[tuple[int, t.LeafGrad]]:
        """The passes that brought a finite gradient other than zero."""
        return [(b, g) for b, g in self.of.get(param, ()) if g.peak > 0 and math.isfinite(g.peak)]

    def _parents(self, backward: int) -> dict[int, list[tuple[int, float | None]]]:
        """Node (or leaf) -> the nodes that hand a gradient to it, and how great it is; kept for the last pass asked."""
        if self._kept[0] != backward:
            self._kept = (backward, self._turned(self.trace.backwards[backward].nodes))
            self._known = {}
        return self._kept[1]

    @staticmethod
    def _turned(nodes: tuple[t.Node, ...]) -> dict[int, list[tuple[int, float | None]]]:
        parents: dict[int, list[tuple[int, float | None]]] = {}
        silent = silent_edges(nodes)
        for i, node in enumerate(nodes):
            for k, edge in enumerate(node.edges):
                parents.setdefault(edge.to, []).append((i, 0.0 if (i, k) in silent else edge.peak))
        return parents

    def losses(self, param: int, backward: int) -> list[Loss]:
        """The nodes, seen from the loss, at which the gradient on its way to ``param`` became zero, None or not
        finite. How: ``zero``, ``none``, ``nonfinite``, or ``hook`` (it arrived, and a hook or a cancellation ended it)."""
        nodes = self.trace.backwards[backward].nodes
        parents = self._parents(backward)
        leaf = dict(self.of.get(param, ())).get(backward)
        start = -(param + 2)
        found = dict(self._above(backward, start))
        if leaf is not None and leaf.peak == 0:
            for parent, peak in parents.get(start, ()):
                if _usable(peak):
                    found.setdefault(
                        parent, Loss(backward, parent, nodes[parent].op, nodes[parent].name, "hook")
                    )
        return list(found.values())

    def _above(self, backward: int, start: int) -> dict[int, Loss]:
        """The nodes above one (or above a leaf) at which a gradient was lost. What is known of a node is kept: all that lies
        below it asks again."""
        parents = self._parents(backward)
        known, stack = self._known, [start]
        while stack:
            at = stack[-1]
            bad = [(parent, peak) for parent, peak in parents.get(at, ()) if not _usable(peak)]
            lost = {parent: loss for parent, peak in bad if (loss := self._lost_at(backward, parent, peak))}
            open_ = [parent for parent, _ in bad if parent not in lost and parent not in known]
            if at in known or not open_:
                stack.pop()
                above = [known[parent] for parent, _ in bad if parent not in lost]
                # shared where there is one way up only: along a deep chain nothing is copied
                known[at] = (
                    above[0]
                    if len(above) == 1 and not lost
                    else {k: v for d in (lost, *above) for k, v in d.items()}
                )
            else:
                stack += open_
        return known[start]

    def _lost_at(self, backward: int, node: int, peak: float | None) -> Loss | None:
        """The loss of a gradient at a node that handed on ``peak``, if it got more than that."""
        own = self.trace.backwards[backward].nodes[node]
        arriving = self._arriving(self._parents(backward), node)
        how = "none" if peak is None else "zero" if peak == 0 else "nonfinite"
        # zeros times an infinite derivative are NaN, too
        came = arriving is not None and math.isfinite(arriving) and (arriving > 0 or how == "nonfinite")
        return Loss(backward, node, own.op, own.name, how) if own.ran and came else None

    def spoilers(self, backward: int) -> list[Loss]:
        """The nodes of a pass that got a finite gradient and handed on one that is not, whatever lies below them."""
        nodes = self.trace.backwards[backward].nodes
        parents = self._parents(backward)
        found = []
        for i, node in enumerate(nodes):
            arrives = self._arriving(parents, i) if node.ran else None
            bad = any(e.peak is not None and not math.isfinite(e.peak) for e in node.edges)
            if bad and arrives is not None and math.isfinite(arrives):
                found.append(Loss(backward, i, node.op, node.name, "nonfinite"))
        return found

    def _arriving(self, parents: dict[int, list[tuple[int, float | None]]], node: int) -> float | None:
        """The greatest gradient that arrives at a node; 1.0 at the root, nan if any part is not finite."""
        edges = parents.get(node)
        if not edges:
            return 1.0
        peaks = [p for _, p in edges if p is not None]
        if not peaks:
            return None
        return math.nan if any(not math.isfinite(p) for p in peaks) else max(peaks)

    def arriving(self, loss: Loss) -> float | None:
        """The gradient that still arrived at the node of a loss."""
        return self._arriving(self._parents(loss.backward), loss.node)


def _usable(peak: float | None) -> bool:
    """Whether a gradient of that greatest size is neither zero nor beyond all numbers."""
    return peak is not None and peak > 0 and math.isfinite(peak)


def silent_edges(nodes: tuple[t.Node, ...]) -> set[tuple[int, int]]:
    """Edges (node, position) that carry nothing but rounding noise: what attention over a single key hands to queries
    and keys (its weight is always 1), and whatever is computed from that alone."""
    silent = {
        (i, k)
        for i, node in enumerate(nodes)
        if node.width == 1 and node.name.startswith("ScaledDotProduct") and len(node.edges) > 2
        for k in (0, 1)
    }
    waiting = bool(silent)
    while waiting:
        deaf = [i for i in _only_silent(nodes, silent) if i >= 0 and (i, 0) not in silent and nodes[i].edges]
        silent.update((i, k) for i in deaf for k in range(len(nodes[i].edges)))
        waiting = bool(deaf)
    return silent


def _only_silent(nodes: tuple[t.Node, ...], silent: set[tuple[int, int]]) -> set[int]:
    """Nodes and leaves all of whose incoming edges are silent."""
    reached: set[int] = set()
    heard: set[int] = set()
    for i, node in enumerate(nodes):
        for k, edge in enumerate(node.edges):
            (reached if (i, k) in silent else heard).add(edge.to)
    return reached - heard
