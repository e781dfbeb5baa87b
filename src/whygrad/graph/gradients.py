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

    @cached_property
    def of(self) -> dict[int, list[tuple[int, t.LeafGrad]]]:
        """Parameter index -> (backward pass, gradient) for every pass that brought one."""
        found: dict[int, list[tuple[int, t.LeafGrad]]] = {}
        for index, backward in enumerate(self.trace.backwards):
            for grad in backward.grads:
                found.setdefault(grad.param, []).append((index, grad))
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

    def _parents(self, nodes: tuple[t.Node, ...]) -> dict[int, list[tuple[int, float | None]]]:
        parents: dict[int, list[tuple[int, float | None]]] = {}
        for i, node in enumerate(nodes):
            for edge in node.edges:
                parents.setdefault(edge.to, []).append((i, edge.peak))
        return parents

    def losses(self, param: int, backward: int) -> list[Loss]:
        """The nodes, seen from the loss, at which the gradient on its way to ``param`` became zero, None or not
        finite. How: ``zero``, ``none``, ``nonfinite``, or ``hook`` (it arrived, and a hook or a cancellation ended it)."""
        nodes = self.trace.backwards[backward].nodes
        parents = self._parents(nodes)
        leaf = {g.param: g.peak for g in self.trace.backwards[backward].grads}.get(param)
        found: dict[int, Loss] = {}
        seen: set[int] = set()
        stack = [(-(param + 2))]
        while stack:
            at = stack.pop()
            for parent, peak in parents.get(at, ()):
                if peak is not None and peak > 0 and math.isfinite(peak):
                    if at < 0 and leaf == 0:
                        found.setdefault(
                            parent, Loss(backward, parent, nodes[parent].op, nodes[parent].name, "hook")
                        )
                    continue
                if parent in seen:
                    continue
                arriving = self._arriving(parents, parent)
                if nodes[parent].ran and arriving is not None and arriving > 0 and math.isfinite(arriving):
                    how = "none" if peak is None else "zero" if peak == 0 else "nonfinite"
                    found[parent] = Loss(backward, parent, nodes[parent].op, nodes[parent].name, how)
                    continue
                seen.add(parent)
                stack.append(parent)
        return list(found.values())

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
        return self._arriving(self._parents(self.trace.backwards[loss.backward].nodes), loss.node)
