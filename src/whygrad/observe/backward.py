"""Backward passes: the autograd graph from the loss to the leaves, and the gradient at every edge of it.

Before ``backward`` runs, the graph is walked over ``grad_fn.next_functions`` and every node gets a hook that
measures what it hands on (one pass over each gradient, the result stays on the device). The hooks are
taken off again when the call returns.
"""

from __future__ import annotations

import bisect
import functools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.names import Function
from whygrad.observe.patching import Patches
from whygrad.observe.probe import suspect
from whygrad.observe.quiet import Quiet, Unheard
from whygrad.observe.raising import Raising
from whygrad.observe.recorder import Recorder, tensors_in, unfollowed
from whygrad.observe.saved import census, ranges, spoilt
from whygrad.observe.sharding import local
from whygrad.observe.stats import capturing, look, norm_of, numbers, part_of, peak_of, plain, several_ranks
from whygrad.observe.values import Note

#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None
_EARLY = 2  #: passes whose new leaves are measured: later ones are inputs, made anew each time
_KEPT_NODES = 150_000  #: nodes over all passes whose edges the trace keeps
#: Nodes that hand on the very numbers that arrive, in another shape.
_VIEWS = {
    "ViewBackward0", "UnsafeViewBackward0", "TransposeBackward0", "TBackward0", "PermuteBackward0", "ReshapeAliasBackward0",
    "SqueezeBackward0", "SqueezeBackward1", "UnsqueezeBackward0", "CloneBackward0", "AliasBackward0",
}  # fmt: skip


class _Pass:
    """What is gathered during one backward pass."""

    def __init__(self, in_step: bool) -> None:
        self.nodes: list[Any] = []
        self.edges: list[list[tuple[int, int]]] = []
        self.parents: list[list[tuple[int, int]]] = []
        self.same: dict[tuple[int, int], tuple[int, int]] = {}
        self.leaf_edges: dict[tuple[int, int], int] = {}
        self.normalised: dict[int, tuple[int, int]] = {}
        self.widths: dict[int, int] = {}
        self.ran: set[int] = set()
        self.peaks: dict[tuple[int, int], torch.Tensor | None] = {}
        self.leaves: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self.parts: dict[int, torch.Tensor] = {}
        self.several_ranks = several_ranks()
        self.params: list[int] = []
        self.handles: list[RemovableHandle] = []
        self.began = time.perf_counter()
        self.tick = 0
        self.stack = -1
        self.losses: tuple[int, ...] = ()
        self.in_step = in_step
        self.anomaly = False
        self.operands: dict[int, tuple[t.Operand, ...]] = {}
        self.loss: torch.Tensor | None = None

    def width(self, i: int, grad_inputs: Any) -> None:
        """Note over how many elements a softmax node normalises, by the shape of what it hands on."""
        slot, dim = self.normalised[i]
        gradient = grad_inputs[slot] if slot < len(grad_inputs) else None
        if gradient is not None:
            self.widths[i] = int(gradient.shape[dim]) if gradient.dim() else 1

    def look(self, i: int, slots: Iterable[int]) -> None:
        """Under anomaly detection: what a node that hands on non-finite numbers was given in the forward pass."""
        peaks = [self.peaks.get((i, slot)) for slot in slots]
        if any(peak is not None and not math.isfinite(peak) for peak in peaks):
            self.operands[i] = ranges(self.nodes[i])

    def release(self) -> None:
        """Let go of the graph: an exception's traceback may hold this object for long."""
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
        self.nodes.clear()
        self.peaks.clear()
        self.leaves.clear()
        self.parts.clear()
        self.loss = None


class Backwards:
    """Watches ``Tensor.backward``, ``torch.autograd.backward`` and ``torch.autograd.grad``."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.raising = Raising(recorder)
        self.on_backward: Callable[[], None] = lambda: None
        self.before_first: Callable[[], None] = lambda: None
        self.before_backward: Callable[[list[torch.Tensor]], None] = lambda losses: None
        self.in_step: Callable[[], bool] = lambda: False
        #: Told of the losses while the script is only followed.
        self.in_light: Callable[[list[torch.Tensor]], None] = lambda losses: None
        self.count = 0
        self._kept = 0

    def install(self, patches: Patches) -> None:
        """Watch ``torch.autograd.backward`` where no function mode sees it (before torch 2.7 or so)."""
        original = torch.autograd.backward
        if "handle_torch_function" in original.__code__.co_names:
            return
        link = patches.link((self.call, self.recorder.own))

        @functools.wraps(original)
        def backward(*args: Any, **kwargs: Any) -> Any:
            # Tensor.backward, which a mode does see, calls this one in turn
            if link.to is None or link.to[1].backwards:
                return original(*args, **kwargs)
            call, own = link.to
            own.paused += 1  # unlike in Tensor.backward the mode is still active inside
            try:
                return call(original, args, kwargs)
            finally:
                own.paused -= 1

        patches.set(torch.autograd, "backward", backward)

    def call(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a backward call under observation."""
        self.count += 1
        self.recorder.passes = self.count
        own = self.recorder.own
        run = self._begin(args[:1] or kwargs.values())
        own.backwards += 1
        try:
            result = func(*args, **kwargs)
        except BaseException as error:
            self._end(run, "backward", error)
            raise
        finally:
            own.backwards -= 1
        self._end(run, "backward")
        self._over()
        return result

    def grad(
        self, function: Function, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run ``torch.autograd.grad``: its results are values made of the outputs and the inputs."""
        run = self._begin(args[:1] or [kwargs.get("outputs")], hooks=False)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self.raising.call(function, func, args, kwargs, error)
            self._end(run, "grad", error)
            raise
        self._grads(run, function, args, kwargs, result)
        return result

    @guarded("the end of a backward pass", None)
    def _over(self) -> None:
        self.on_backward()

    @guarded("torch.autograd.grad", None)
    def _grads(
        self,
        run: _Pass | None,
        function: Function,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        if run is None:
            return
        recorder = self.recorder
        outputs = tensors_in(args[:1] or [kwargs.get("outputs")])
        inputs = tensors_in(args[1:2] or [kwargs.get("inputs")])
        results = result if isinstance(result, tuple) else (result,)
        with Quiet():
            for tensor, gradient in zip(inputs, results, strict=False):
                entry = recorder.params.find(tensor)
                data = plain(gradient) if isinstance(gradient, torch.Tensor) else None
                if entry is not None and data is not None:
                    run.leaves[entry.index] = (norm_of(data), peak_of(data))
        recorder.operation(function, ((), {}), recorder.inputs([outputs, inputs]), tensors_in([result]))
        self._end(run, "grad")

    # -- before --------------------------------------------------------------------------------------

    @guarded("the start of a backward pass", None)
    def _begin(self, given: Iterable[Any], hooks: bool = True) -> _Pass | None:
        recorder, given = self.recorder, list(given)
        if recorder.light and hooks:
            self.in_light(tensors_in(given))
        if recorder.light or unfollowed(self.problems):
            return None
        if capturing():
            self.problems.unseen("backward passes that are captured in a CUDA graph are not followed")
            return None
        if not recorder.backwards:
            self.before_first()
        if hooks:
            self.before_backward(tensors_in(given))
        run = _Pass(self.in_step())
        run.anomaly = torch.is_anomaly_enabled() and not recorder.saved_hooks
        try:
            with Unheard():
                self._roots(run, tensors_in(given))
                if hooks:
                    self._hook(run)
                self._look_into(run)
        except BaseException:
            run.release()
            raise
        return run

    def _roots(self, run: _Pass, losses: list[torch.Tensor]) -> None:
        """Number the losses, and walk the graph from them."""
        recorder = self.recorder
        recorder.tick += 1
        run.tick, run.stack = recorder.tick, recorder.stacks.here()
        notes = [recorder.note_of(loss) for loss in losses]
        for loss, note in zip(losses, notes, strict=True):
            recorder.values.describe(loss, note)
            if note.op < 0 and note.param < 0:
                note.vid = -1  # not recorded before: number it as it is now
        if losses and losses[0].numel() == 1 and not losses[0].is_meta:
            with Quiet():
                run.loss = local(losses[0]).detach()
        run.losses = tuple([recorder.values.number(n) for n in notes])
        self._walk(run, [loss.grad_fn for loss in losses if loss.grad_fn is not None])
        for loss in losses:
            if loss.is_leaf and loss.requires_grad:
                run.params.append(recorder.note_of(loss).param)

    @guarded("the forward pass of a loss that is not finite", None)
    def _look_into(self, run: _Pass) -> None:
        with Quiet():
            if run.loss is not None and not math.isfinite(run.loss):
                census(self.recorder, run.nodes, self.operation_of)

    def _walk(self, run: _Pass, roots: Sequence[Any]) -> None:
        index = {node: i for i, node in enumerate(dict.fromkeys(roots))}
        run.nodes = list(index)
        run.parents = [[] for _ in index]
        position = 0
        while position < len(run.nodes):
            node = run.nodes[position]
            position += 1
            edges = []
            for slot, (child, _) in enumerate(node.next_functions):
                if child is None:
                    continue
                if child not in index:
                    index[child] = len(run.nodes)
                    run.nodes.append(child)
                    run.parents.append([])
                run.parents[index[child]].append((position - 1, slot))
                edges.append((slot, index[child]))
            run.edges.append(edges)

    def _leaf_note(self, variable: torch.Tensor) -> Note:
        """The note of a leaf of the graph; one that nobody has registered (a plain tensor) gets tracked from here on."""
        recorder = self.recorder
        note = recorder.note_of(variable)
        if note.param < 0:
            entry = recorder.params.add(variable, "tensor", note.created, recorder.tick)
            if len(recorder.backwards) < _EARLY:
                entry.first = look(variable)
            note = entry.note
        return note

    def _hook(self, run: _Pass) -> None:
        for i, node in enumerate(run.nodes):
            if run.edges[i]:
                continue
            variable = getattr(node, "variable", None)
            if variable is None:
                continue
            note = self._leaf_note(variable)
            if note.param >= 0:
                run.params.append(note.param)
                run.handles.append(node.register_prehook(_Leaf(run, note.param)))
                if len(run.parents[i]) == 1 and not variable._backward_hooks:
                    run.leaf_edges[run.parents[i][0]] = note.param
        for i, node in enumerate(run.nodes):
            if run.edges[i]:
                run.handles.append(node.register_hook(_Post(run, i, self._to_measure(run, i))))
                if (normalised := _normalised(node)) is not None:
                    run.normalised[i] = normalised

    @staticmethod
    def _to_measure(run: _Pass, i: int) -> list[int]:
        """The edges of a node whose gradient must be measured: not those into a leaf that measures it anyway, and not
        what a view hands on, which is what arrived."""
        if len(run.parents[i]) == 1 and len(run.edges[i]) == 1 and run.nodes[i].name() in _VIEWS:
            run.same[(i, run.edges[i][0][0])] = run.parents[i][0]
        return [
            slot for slot, _ in run.edges[i] if (i, slot) not in run.leaf_edges and (i, slot) not in run.same
        ]

    # -- after ---------------------------------------------------------------------------------------

    @guarded("the end of a backward pass", None)
    def _end(self, run: _Pass | None, kind: str, error: BaseException | None = None) -> None:
        if run is None:
            return
        seconds = time.perf_counter() - run.began
        try:
            with Quiet():
                if isinstance(error, Exception):
                    asked = [] if self.recorder.saved_hooks else run.nodes
                    node = spoilt(asked, run.parents, run.ran, str(error))
                    self.raising.backward(error, -1 if node is None else self.operation_of(node))
                self._record(run, kind, seconds, "" if error is None else str(error))
        finally:
            run.release()

    def _record(self, run: _Pass, kind: str, seconds: float, raised: str) -> None:
        recorder = self.recorder
        for handle in run.handles:
            handle.remove()
        grads = self._leaf_grads(run)
        nodes = self._nodes(run, grads)
        for i, operands in run.operands.items():
            if nodes and nodes[i].op >= 0:
                recorder.probes.append(t.Probe(nodes[i].op, operands))
        value = recorder.values.records[run.losses[0]] if run.losses else None
        recorder.backwards.append(
            t.Backward(
                tick=run.tick,
                kind=kind,
                stack=run.stack,
                losses=run.losses,
                loss=None if run.loss is None else float(run.loss),
                reached=tuple(sorted(set(run.params))),
                grads=grads,
                nodes=nodes if value is not None else (),
                seconds=seconds,
                raised=raised,
                in_step=run.in_step,
            )
        )

    def _leaf_grads(self, run: _Pass) -> tuple[t.LeafGrad, ...]:
        params = list(run.leaves)
        flat = numbers([s for pair in run.leaves.values() for s in pair])
        parts = dict(zip(run.parts, numbers(list(run.parts.values())), strict=True))
        return tuple(
            t.LeafGrad(p, flat[2 * i], flat[2 * i + 1], part=parts.get(p)) for i, p in enumerate(params)
        )

    def _nodes(self, run: _Pass, grads: tuple[t.LeafGrad, ...]) -> tuple[t.Node, ...]:
        self._kept += len(run.nodes)
        if self._kept > _KEPT_NODES:
            self.problems.add(f"only the first {_KEPT_NODES} nodes of the autograd graphs were kept")
            return ()
        measured = [k for k, s in run.peaks.items() if s is not None]
        peaks: dict[tuple[int, int], float | None] = dict.fromkeys(run.peaks)
        peaks.update(zip(measured, numbers([s for s in run.peaks.values() if s is not None]), strict=True))
        arrived = {g.param: g.peak for g in grads}
        peaks.update({edge: arrived.get(param) for edge, param in run.leaf_edges.items()})
        for edge in run.same:
            source = edge
            while source in run.same:
                source = run.same[source]
            peaks.setdefault(edge, peaks.get(source))
        out = []
        for i, node in enumerate(run.nodes):
            edges = tuple([t.Edge(self._target(run, j), peaks.get((i, slot))) for slot, j in run.edges[i]])
            op = self.operation_of(node) if run.edges[i] else -1
            out.append(t.Node(node.name(), op, edges, i in run.ran, width=run.widths.get(i, -1)))
        self._suspect(out)
        return tuple(out)

    def _target(self, run: _Pass, j: int) -> int:
        if run.edges[j]:
            return j
        variable = getattr(run.nodes[j], "variable", None)
        if variable is None:
            return -1
        entry = self.recorder.params.find(variable)
        return -1 if entry is None else -(entry.index + 2)

    def operation_of(self, node: Any) -> int:
        """The recorded operation that made a node, by autograd's sequence numbers."""
        number = node._sequence_nr()
        ends, indices = self.recorder.node_table()
        at = bisect.bisect_right(ends, number)
        if at == len(ends):
            return -1
        first, last = self.recorder.ops[indices[at]].seq
        return indices[at] if first <= number < last else -1

    def _suspect(self, nodes: list[t.Node]) -> None:
        received: dict[int, float] = {0: 1.0}
        for node in nodes:
            for edge in node.edges:
                if edge.to >= 0 and edge.peak is not None:
                    received[edge.to] = max(received.get(edge.to, 0.0), edge.peak, key=_badness)
        for i, node in enumerate(nodes):
            arrives = received.get(i, 0.0)
            if node.op < 0 or not node.ran or arrives != arrives:
                continue
            peaks = [e.peak for e in node.edges if e.peak is not None]
            if any([(peak == 0 and arrives > 0) or not math.isfinite(peak) for peak in peaks]):
                suspect(self.recorder, self.recorder.ops[node.op].kind)


def _normalised(node: Any) -> tuple[int, int] | None:
    """Over which dimension of which of its inputs a softmax node normalises, None for any other node.

    What the node has saved is not asked: to unpack it could run the user's hooks, or a checkpointed forward again."""
    name = node.name()
    if "oftmax" in name:
        dim = getattr(node, "_saved_dim", None)
        return None if dim is None else (0, dim if dim < 2**63 else dim - 2**64)
    return (1, -2) if name.startswith("ScaledDotProduct") else None


def _badness(peak: float) -> float:
    return float("inf") if peak != peak else peak


class _Post:
    """Post hook of a node: measures what it hands on."""

    __slots__ = ("index", "run", "slots")

    def __init__(self, run: _Pass, index: int, slots: list[int]) -> None:
        self.run, self.index, self.slots = run, index, slots

    def __call__(self, grad_inputs: Any, grad_outputs: Any) -> None:
        run, i = self.run, self.index
        try:
            run.ran.add(i)
            if i in run.normalised:
                run.width(i, grad_inputs)
            with Quiet():
                for slot in self.slots:
                    gradient = grad_inputs[slot] if slot < len(grad_inputs) else None
                    data = plain(gradient) if gradient is not None else None
                    run.peaks[(i, slot)] = None if data is None else peak_of(data)
                    if gradient is None or data is not None:
                        continue
                    if gradient.numel() == 0:
                        run.peaks[(i, slot)] = torch.zeros(
                            ()
                        )  # of an empty selection: there, and nothing in it
                    else:
                        run.ran.discard(i)  # there is one, and it can't be measured: not a node without any
                if run.anomaly:
                    run.look(i, self.slots)
        except Exception:
            run.ran.discard(i)  # an unmeasurable gradient (a foreign subclass): the node counts as not seen


class _Leaf:
    """Pre hook of an AccumulateGrad node: measures the gradient that this pass brings to the leaf."""

    __slots__ = ("param", "run")

    def __init__(self, run: _Pass, param: int) -> None:
        self.run, self.param = run, param

    def __call__(self, grad_outputs: Any) -> None:
        try:
            gradient = grad_outputs[0]
            with Quiet():
                data = plain(gradient) if gradient is not None else None
                if data is not None:
                    self.run.leaves[self.param] = (norm_of(data), peak_of(data))
                    if self.run.several_ranks:
                        self.run.parts[self.param] = part_of(data)
        except Exception:
            return  # as above
