"""Whether a model that is to predict the next element has seen it: measured on the script's own graph, once.

Where the targets of a loss are the inputs shifted by one position, the gradient of the scores at one position with
respect to the layer that reads the inputs says which inputs these scores depend on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.autograd.graph import GradientEdge

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.quiet import Quiet
from whygrad.observe.shifted import Shift, shifted, spread
from whygrad.observe.stats import capturing
from whygrad.observe.watcher import Watcher

_LOSSES = {"cross_entropy", "nll_loss", "gather"}
_SERIES = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
_READS = {"embedding", "linear", "__getitem__", *_RECURRENT}
_MASKS = {"tril", "triu", "tril_", "triu_"}
_LEAST = 8  #: elements that are read at once by what reads a sequence
_MOST = 2**22
_TESTS = 2  #: tries; one test that tells is enough
_LATEST = 6  #: backward passes after which nothing is looked for any more
_READERS = 6
#: Normalisations over more than one position: through them everything depends on everything, a little.
_STATISTICS = ("BatchNorm", "GroupNorm", "InstanceNorm")


class _Reader(NamedTuple):
    """A call that reads the inputs: operation, the inputs, the autograd node of its result and the number of the result
    there. ``backwards``: the first of the features that a recurrent layer has from its backward direction (0: none)."""

    op: int
    inputs: torch.Tensor
    node: int
    slot: int
    shape: tuple[int, ...]
    backwards: int


class _Candidate(NamedTuple):
    reader: _Reader
    loss: int
    node: int  # of the scores
    slot: int
    scores: tuple[int, ...]
    dtype: torch.dtype
    shift: Shift


class Watch(Watcher):
    """Notes what reads a sequence until the loss is taken, and tests before the backward pass."""

    names = frozenset(_READS | _LOSSES | _SERIES | _MASKS)

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._readers: list[_Reader] = []
        self._candidates: list[_Candidate] = []
        self._found: list[t.Ahead] = []
        self._masks: dict[int, None] = {}
        self._tests = 0

    def called(self, call: Call) -> None:
        """A look-up, a first layer, or a loss."""
        if call.function.name in _MASKS and type(call.result) is torch.Tensor:
            shape = tuple(call.result.shape)
            if len(self._masks) < _READERS and len(shape) > 1 and shape[-1] == shape[-2] > 2 and call.op < 0:
                self._masks[self.recorder.stacks.here()] = None
            return
        if self._tests >= _TESTS or call.op < 0 or len(self.recorder.backwards) > _LATEST:
            return
        if call.function.name in _READS:
            self._read(call)
        elif self._readers and type(call.result) is torch.Tensor and call.result.requires_grad:
            self._compared(call)

    def _read(self, call: Call) -> None:
        name, given = call.function.name, call.argument(0, "input")
        result = call.result[0] if name in _RECURRENT else call.result
        inputs = given
        if name == "__getitem__":  # a table of vectors, looked up by hand
            inputs = call.args[1] if call.notes[0].param >= 0 else None
        if type(inputs) is not torch.Tensor or type(result) is not torch.Tensor:
            return  # a subclass of the user's would hear of each question
        if inputs.requires_grad or result.grad_fn is None:
            return
        if inputs.is_floating_point() and (call.notes[0].carries or inputs.dim() != 3):
            return
        if inputs.dtype is torch.bool or not _LEAST <= inputs.numel() <= _MOST:
            return
        half = result.shape[-1] // 2 if name in _RECURRENT and call.args[7] is True else 0
        if name in _RECURRENT and not half:
            return  # what runs forwards only needs no test, and its own input has no gradient
        edge = torch.autograd.graph.get_gradient_edge(result)
        place = edge.node._sequence_nr(), edge.output_nr
        reader = _Reader(call.op, inputs, *place, tuple(result.shape), half)
        self._readers = [*self._readers[1 - _READERS :], reader]

    def _compared(self, call: Call) -> None:
        name = call.function.name
        scores = call.argument(0, "input")
        targets = call.argument(2, "index") if name == "gather" else call.argument(1, "target")
        if type(targets) is not torch.Tensor or type(scores) is not torch.Tensor or scores.grad_fn is None:
            return
        if targets.is_floating_point() is (name in _LOSSES) or capturing():
            return
        ignored = call.kwargs.get("ignore_index", -100) if name in _LOSSES else None
        edge = torch.autograd.graph.get_gradient_edge(scores)
        place = edge.node._sequence_nr(), edge.output_nr
        with Quiet():
            for reader in self._readers:
                shift = shifted(reader.inputs, targets, ignored)
                if shift is not None:
                    about = tuple(scores.shape), scores.dtype
                    self._candidates.append(_Candidate(reader, call.op, *place, *about, shift))

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The test itself."""
        candidates, self._candidates, self._readers = self._candidates, [], []
        if not candidates or self._tests >= _TESTS:
            return
        nodes = _walk([loss.grad_fn for loss in losses if loss.grad_fn is not None])
        if nodes is None or self._hooked():
            return
        self._tests += 1
        for candidate in candidates:
            with Quiet():
                self._test(candidate, nodes)
        if self._found:
            self._tests = _TESTS

    def _hooked(self) -> bool:
        """Whether something of the script's would run in an additional backward pass."""
        recorder = self.recorder
        if recorder.saved_hooks or torch.is_anomaly_enabled():
            return True
        if any(event.kind == "hook" for event in recorder.events):
            return True
        return any(not tensor.is_leaf and tensor.retains_grad for tensor, _ in recorder.values.living())

    def _test(self, candidate: _Candidate, nodes: dict[int, Any]) -> None:
        reader = candidate.reader
        start, end = nodes.get(candidate.node), nodes.get(reader.node)
        if start is None or end is None or start is end:
            return
        axis, position = candidate.shift.axis, candidate.shift.position
        direction = _direction(candidate)
        if direction is None:
            return
        edges = [GradientEdge(start, candidate.slot)], [GradientEdge(end, reader.slot)]
        try:
            (found,) = torch.autograd.grad(*edges, [direction], retain_graph=True, allow_unused=True)
        except (RuntimeError, TypeError, ValueError):
            return  # what autograd can't do now, it will say again when the script asks for it
        if found is None or found.shape != reader.shape:
            return
        sizes = _sizes(found, reader, axis, position)
        length, masks = reader.inputs.shape[axis], tuple(self._masks)
        self._found.append(t.Ahead(reader.op, candidate.loss, position, length, *sizes, axis, masks))

    def after_step(self) -> None:
        """Keep nothing longer than a step."""
        self._readers, self._candidates = [], []

    def window_ends(self) -> None:
        """Keep nothing."""
        self._readers, self._candidates = [], []

    def facts(self) -> dict[str, Any]:
        """The tests."""
        return {"ahead": tuple(self._found)}


def _walk(roots: list[Any]) -> dict[int, Any] | None:
    """The nodes of a graph by their sequence numbers; None if there is one that must be left alone."""
    nodes = list(dict.fromkeys(roots))
    seen = set(nodes)
    found = {}
    for node in nodes:
        if isinstance(node, torch.autograd.function.BackwardCFunction) or any(
            s in node.name() for s in _STATISTICS
        ):
            return None
        found[node._sequence_nr()] = node
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                nodes.append(child)
    return found


def _direction(candidate: _Candidate) -> torch.Tensor | None:
    """A gradient for the scores that is non-zero only where they predict what follows the position."""
    shift, inputs = candidate.shift, candidate.reader.inputs
    shape = list(inputs.shape[:2])
    shape[shift.axis] -= shift.short
    marked = torch.zeros(shape, dtype=candidate.dtype, device=inputs.device)
    rows = marked.select(shift.axis, shift.position)
    rows.copy_(
        shift.rows.reshape(rows.shape) if shift.rows.numel() == rows.numel() else torch.ones_like(rows)
    )
    return spread(marked, candidate.scores)


def _sizes(gradient: torch.Tensor, reader: _Reader, axis: int, position: int) -> tuple[float, float]:
    """The greatest gradients at the own position and at the next one. What the backward direction of a recurrent layer
    says of a position, or of one before it, it knows from the next ones."""
    if reader.backwards:
        own, ahead = gradient[..., : reader.backwards], gradient[..., reader.backwards :]
        return float(own.select(axis, position).abs().max()), float(ahead.select(axis, position).abs().max())
    return float(gradient.select(axis, position).abs().max()), float(
        gradient.select(axis, position + 1).abs().max()
    )
