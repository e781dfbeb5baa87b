"""The part of an autograd graph that lies between a loss and one parameter, measured by a backward pass of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import msgspec
import torch

from whygrad.api.places import Place, place_of
from whygrad.errors import UsageError
from whygrad.observe.stats import norm_of, plain


class Station(msgspec.Struct, frozen=True):
    """One node of the autograd graph. ``shape``: of the gradient that arrives, the shape of the operation's result.
    ``arriving`` and ``leaving``: L2 norms of the gradient that comes in, and of what goes on towards the parameter.
    ``place``: the line that made it (None: not recorded)."""

    grad_fn: str
    shape: tuple[int, ...]
    arriving: float | None
    leaving: float | None
    place: Place | None = None


class Walk:
    """The part of a graph that lies between its root and one leaf."""

    def __init__(self, root: Any, parameter: torch.Tensor) -> None:
        self.root = root
        self.order: list[Any] = []
        self.leaves = 0
        self.target: Any = None
        self._arrived: dict[Any, tuple[tuple[int, ...], torch.Tensor | None]] = {}
        self._left: dict[tuple[Any, int], torch.Tensor] = {}
        self._collect(parameter)
        self.towards: dict[Any, list[tuple[int, Any]]] = {}
        self._lead_to_target()

    def _collect(self, parameter: torch.Tensor) -> None:
        own = parameter.grad_fn  # of a tensor that is no leaf
        seen = {self.root}
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            self.order.append(node)
            variable = getattr(node, "variable", None)
            self.leaves += variable is not None
            if variable is parameter or (own is not None and node is own):
                self.target = node
            for child, _ in node.next_functions:
                if child is not None and child not in seen:
                    seen.add(child)
                    waiting.append(child)

    def _lead_to_target(self) -> None:
        """For each node on some route the edges that go on towards the target: found from the target upwards."""
        if self.target is None:
            return
        parents: dict[Any, list[tuple[int, Any]]] = {}
        for node in self.order:
            for slot, (child, _) in enumerate(node.next_functions):
                if child is not None:
                    parents.setdefault(child, []).append((slot, node))
        self.towards[self.target] = []
        waiting = [self.target]
        while waiting:
            node = waiting.pop()
            for slot, parent in parents.get(node, ()):
                if parent not in self.towards:
                    self.towards[parent] = []
                    waiting.append(parent)
                self.towards[parent].append((slot, node))

    def measure(self, loss: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor | None:
        """Run backward through the graph once, with a hook on every node of the routes; nothing is accumulated."""
        handles = [n.register_hook(self._hook(n)) for n in self.towards if n.next_functions]
        try:
            (gradient,) = torch.autograd.grad(
                loss, parameter, torch.ones_like(loss), retain_graph=True, allow_unused=True
            )
        except RuntimeError as error:
            if "second time" not in str(error):
                raise
            raise UsageError(
                "The graph of this loss is gone, since backward() was called on it; call explain() before that, "
                "or backward(retain_graph=True)."
            ) from None
        finally:
            for handle in handles:
                handle.remove()
        return gradient

    def _hook(self, node: Any) -> Any:
        slots = {slot for slot, _ in self.towards[node]}

        def measured(inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
            given = next((g for g in outputs if g is not None), None)
            shape = () if given is None else tuple(given.shape)
            self._arrived[node] = (shape, None if given is None else small(outputs))
            for slot in slots:
                if slot < len(inputs) and inputs[slot] is not None:
                    self._left[(node, slot)] = small([inputs[slot]])

        return measured

    def stations(self) -> tuple[Station, ...]:
        """The route that brings most to the target; of equals the one that takes the stronger edge at each node."""
        most = self._most()
        found = []
        node = self.root
        while node is not self.target:
            slot, following = self._strongest(node, most)
            shape, arrived = self._arrived.get(node, ((), None))
            arriving = None if arrived is None else float(arrived)
            found.append(Station(node.name(), shape, arriving, self._leaving(node, slot), place_of(node)))
            node = following
        last = found[-1].leaving if found else 1.0
        variable = getattr(self.target, "variable", None)
        shape = () if variable is None else tuple(variable.shape)
        return (*found, Station(self.target.name().rpartition("::")[2], shape, last, None))

    def _strongest(self, node: Any, most: dict[Any, float]) -> tuple[int, Any]:
        def strength(edge: tuple[int, Any]) -> tuple[float, float]:
            return self._brought(most, node, *edge), self._leaving(node, edge[0]) or 0.0

        return max(self.towards[node], key=strength)

    def _leaving(self, node: Any, slot: int) -> float | None:
        norm = self._left.get((node, slot))
        return None if norm is None else float(norm)

    def _most(self) -> dict[Any, float]:
        """For every node the most that a route through it brings to the target by its last edge."""
        most: dict[Any, float] = {self.target: math.inf}
        for node in self._children_first():
            most[node] = max(self._brought(most, node, *edge) for edge in self.towards[node])
        return most

    def _brought(self, most: dict[Any, float], node: Any, slot: int, child: Any) -> float:
        return (self._leaving(node, slot) or 0.0) if child is self.target else most[child]

    def routes(self) -> int:
        """Number of ways from the root to the target."""
        counts: dict[Any, int] = {self.target: 1}
        for node in self._children_first():
            counts[node] = sum(counts[child] for _, child in self.towards[node])
        return counts[self.root]

    def _children_first(self) -> list[Any]:
        """The nodes of the routes, but for the target, each after those that it leads to."""
        order: dict[Any, None] = {}
        stack = [self.root]
        while stack:
            missing = [c for _, c in self.towards[stack[-1]] if c not in order and c is not self.target]
            if missing:
                stack += missing
            else:
                order.setdefault(stack.pop())
        order.pop(self.target, None)
        return list(order)


def small(tensors: Iterable[Any]) -> torch.Tensor:
    """The L2 norm of several tensors together (None among them counts nothing), on their device."""
    norms = [norm_of(data) for g in tensors if g is not None and (data := plain(g)) is not None]
    return torch.stack(norms).norm() if norms else torch.zeros(())
