"""The data that come in: batches of DataLoaders, and the tensors that meet a parameter or are given to a loss.

Nothing of their contents is kept: digests tell whether two batches or rows are the same, and in which order the rows of a
whole data set were put before. Everything is looked at during the window, batches (and only they) a while longer.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

from whygrad import trace as t
from whygrad.observe import datasets, digests, shuffles, slices
from whygrad.observe.aliases import Aliases
from whygrad.observe.call import Call
from whygrad.observe.dependence import Dependence
from whygrad.observe.digests import Look
from whygrad.observe.guard import guarded
from whygrad.observe.orders import KEEP, SELECT, RowOrders
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import tensors_in
from whygrad.observe.stats import capturing
from whygrad.observe.values import Note, Values
from whygrad.observe.watcher import Watcher

_BATCHES, _FEDS = 400, 600  #: looked at, at most
_FIELDS = 8
_FOLLOW = 200  #: steps for which a script is followed until another class comes
_PASSES = 40  #: backward passes in which inputs are looked at
_INPUTS = frozenset({
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "bilinear", "embedding",
    "embedding_bag", "matmul", "__matmul__", "mm", "addmm", "einsum", "lstm", "gru", "rnn_tanh", "rnn_relu",
    "lstm_cell", "gru_cell", "batch_norm", "layer_norm", "multi_head_attention_forward", "mul", "__mul__", "__rmul__",
})  # fmt: skip
_LOSSES = frozenset({
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "multi_margin_loss", "multilabel_margin_loss", "soft_margin_loss", "multilabel_soft_margin_loss", "cosine_similarity",
})  # fmt: skip
_BY_HAND = frozenset({"sub", "__sub__", "__rsub__", "subtract", "gather"})
_REPEATS = frozenset({"repeat", "repeat_interleave", "tile", "expand", "expand_as", "broadcast_to"})
_WRITES = frozenset({
    "zero_", "copy_", "fill_", "__setitem__", "normal_", "uniform_", "random_", "bernoulli_", "add_", "__iadd__", "sub_",
    "__isub__", "mul_", "__imul__", "div_", "__itruediv__", "clamp_", "masked_fill_", "scatter_", "scatter_add_",
    "index_add_", "index_copy_", "index_fill_", "index_put_", "exp_", "sqrt_", "log_", "pow_", "abs_", "tanh_",
    "sigmoid_", "addcmul_", "lerp_", "masked_scatter_", "fill_diagonal_",
})  # fmt: skip


class _Loader:
    """A DataLoader, for as long as it is there."""

    def __init__(self, loader: Any, stack: int) -> None:
        self.ref = weakref.ref(loader)
        self.created = stack
        self.turns = 0
        self.site = -1
        self.record: t.Loader | None = None


class _Pass:
    """An iterator over a DataLoader: which one, the number of its pass, and the indices it has asked for."""

    def __init__(self, iterator: Any) -> None:
        self.ref = weakref.ref(iterator)
        self.loader = self.turn = -1
        self.chosen: list[tuple[int, bool, tuple[int, ...]]] = []


class _Batch:
    def __init__(self, loader: int, turn: int, number: int, site: int, backward: int) -> None:
        self.loader, self.turn, self.number, self.site, self.backward = loader, turn, number, site, backward
        self.grad = torch.is_grad_enabled()
        self.chosen, self.ordered = -1, False
        self.fields: list[tuple[str, tuple[int, ...], str, Look]] = []


class Watch(Watcher):
    """Keeps looks at batches and at what was fed."""

    names = _INPUTS | _LOSSES | _BY_HAND | _REPEATS | {"stack"} | _WRITES | KEEP | SELECT

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self.known = digests.Known()
        self.orders = RowOrders(self.recorder)
        self.aliases = Aliases(self.recorder, self.known)
        self.dependence = Dependence()
        self._loaders: list[_Loader] = []
        self._passes: dict[int, _Pass] = {}
        self._batches: list[_Batch] = []
        self._feds: list[tuple[dict[str, Any], Look]] = []
        self._made: dict[int, tuple[Note, int]] = {}
        self._repeated: dict[int, Note] = {}
        self._stores: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._columns: list[t.Column] = []
        self._column_of: dict[int, int] = {}
        self._loader_column: dict[int, int] = {}
        self._times: dict[tuple[int, int], int] = {}
        self._apart: tuple[t.Apart, ...] | None = None
        self._over = False

    def install(self, patches: Patches) -> None:
        """Hear of DataLoaders, their passes and batches."""
        patches.around(DataLoader, "__init__", after=self._built)
        patches.around(DataLoader, "__iter__", before=self._begins, after=self._began)
        patches.around(_BaseDataLoaderIter, "__next__", after=self._given)
        patches.around(_BaseDataLoaderIter, "_next_index", after=self._chose)

    # -- loaders -------------------------------------------------------------------------------------

    def _index(self, loader: Any) -> int:
        for index, known in enumerate(self._loaders):
            if known.ref() is loader:
                return index
        self._loaders.append(_Loader(loader, -1))
        return len(self._loaders) - 1

    @guarded("the construction of a DataLoader", None)
    def _built(self, token: Any, result: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        if not self._over and len(self._loaders) < 200:
            self._loaders.append(_Loader(loader, self.recorder.stacks.here()))

    @guarded("a pass over a DataLoader", None)
    def _begins(self, loader: Any) -> None:
        if self._over or self.recorder.own.paused:
            return
        known = self._loaders[self._index(loader)]
        known.turns += 1
        known.site = self.recorder.stacks.here()
        if loader._iterator is not None:
            self._pass(loader._iterator).chosen.clear()  # workers that persist begin again
        if known.record is None:
            with Quiet():
                known.record = self._described(loader, known.created)

    @guarded("a pass over a DataLoader", None)
    def _began(self, token: Any, result: Any, loader: Any) -> None:
        if not self._over and issubclass(type(result), _BaseDataLoaderIter):
            own, index = self._pass(result), self._index(loader)
            own.loader, own.turn = index, self._loaders[index].turns

    def _pass(self, iterator: Any) -> _Pass:
        own = self._passes.get(id(iterator))
        if own is None or own.ref() is not iterator:
            own = self._passes[id(iterator)] = _Pass(iterator)
        return own

    def _described(self, loader: Any, created: int) -> t.Loader:
        stacks, dataset = self.recorder.stacks, loader.dataset
        inner = datasets.innermost(dataset)
        code = datasets.item_code(inner)
        iterable = issubclass(type(dataset), torch.utils.data.IterableDataset)
        user = datasets.is_dataset(inner) or code is not None
        return t.Loader(
            kind=type(loader).__name__,
            created=created,
            dataset=type(inner).__name__,
            sampler=type(loader.sampler).__name__ if not iterable else "",
            workers=loader.num_workers,
            rows=_length(dataset),
            batches=-1 if iterable else _length(loader),
            iterable=iterable,
            seeded=loader.worker_init_fn is not None,
            persistent=bool(loader.persistent_workers),
            items=tuple(datasets.handed_out(stacks, code)) if code else (),
            random=tuple(datasets.carried_generators(stacks, dataset, loader.collate_fn))
            if user and loader.num_workers
            else (),
            reseeds=tuple(datasets.constant_seeds(stacks, code)) if code else (),
            buffers=tuple(datasets.buffers(stacks, inner)) if user else (),
            files_apart=datasets.files_apart(stacks, inner, code) if code else -1,
        )

    @guarded("the indices of a batch", None)
    def _chose(self, token: Any, result: Any, iterator: Any) -> None:
        if self._over or type(result) is not list or not result or any(type(i) is not int for i in result):
            return
        ordered = result == list(range(result[0], result[0] + len(result)))
        chosen = self._pass(iterator).chosen
        if len(chosen) < _BATCHES:
            chosen.append((hash(tuple(result)), ordered, tuple(result[:4096])))

    @guarded("a batch", None)
    def _given(self, token: Any, result: Any, iterator: Any) -> None:
        own = self._pass(iterator)
        if own.loader < 0 or self._over or len(self._batches) >= _BATCHES or self.recorder.own.paused:
            return
        index, turn, known = own.loader, own.turn, self._loaders[own.loader]
        number = iterator._num_yielded - 1
        passes = self.recorder.step if self.recorder.light else len(self.recorder.backwards)
        batch = _Batch(index, turn, number, known.site, passes)
        rows: tuple[int, ...] = ()
        if number < len(own.chosen):
            digest, batch.ordered, rows = own.chosen[number]
            batch.chosen = self.known.content(digest)
        with Quiet():
            found: list[tuple[str, torch.Tensor]] = []
            _flatten(result, "", found, 3)
            for name, tensor in found[:_FIELDS]:
                if digests.measurable(tensor) and not capturing():
                    look = Look(tensor, target=tensor.numel() == tensor.shape[0] if tensor.dim() else False)
                    batch.fields.append(
                        (name, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), look)
                    )
            if not self.recorder.light:
                self._order(index, found, rows)
                if batch.ordered and index not in self._loader_column:
                    self._loader_column[index] = self._find_column(known.ref(), batch, rows)
        self._batches.append(batch)

    def _order(self, index: int, found: list[tuple[str, torch.Tensor]], rows: tuple[int, ...]) -> None:
        """The rows of a batch come in the order of its indices, on top of the order of the data set's tensors."""
        loader = self._loaders[index].ref()
        dataset = loader.dataset if loader is not None else None
        columns = dataset.tensors if type(dataset) is TensorDataset else ()
        if not rows or len(rows) < 2:
            return
        number = self.orders.number(self._loaders[index].created, self._rows(index), rows, index)
        for place, (_, tensor) in enumerate(found):
            if tensor.dim() and tensor.shape[0] == len(rows):
                matched = len(columns) == len(found)
                orders, since = self.orders.of(columns[place] if matched else tensor)
                self.orders.put(tensor, frozenset({(*o, number) for o in orders}), since)

    def _rows(self, index: int) -> int:
        record = self._loaders[index].record
        return -1 if record is None else record.rows

    def _find_column(self, loader: Any, batch: _Batch, rows: tuple[int, ...]) -> int:
        """All the targets of the data set that this batch was taken from, found by comparing them."""
        if loader is None or not rows:
            return -1
        for column in datasets.columns(datasets.innermost(loader.dataset), self._rows(batch.loader)):
            part = Look(column.reshape(-1)[rows[0] : rows[0] + len(rows)]).settle(self.known)
            for _, shape, _, look in batch.fields:
                if (
                    len(shape) in (1, 2)
                    and shape[0] == len(rows)
                    and look.settle(self.known).content == part.content
                ):
                    self._columns.append(_column(column))
                    return len(self._columns) - 1
        return -1

    # -- what is fed ---------------------------------------------------------------------------------

    def called(self, call: Call) -> None:
        """An operation has taken something."""
        name = call.function.name
        if call.op < 0:
            if name in _REPEATS:
                note = (
                    self.recorder.values.get(call.result) if isinstance(call.result, torch.Tensor) else None
                )
                if note is not None and len(self._repeated) < _FEDS:
                    self._repeated[id(note)] = note
            if name == "stack":
                self.aliases.joined(call)
            if name in _WRITES:
                self.aliases.wrote(call)
            if name in KEEP or name in SELECT:
                with Quiet():
                    self.orders.called(call)
            return
        if len(self._feds) >= _FEDS or self._over:
            return
        if name in _INPUTS:
            self._take("input", call, tensors_in(call.args[:3], 1), self._leaves(call))
        elif name in _LOSSES:
            if not _last(call.result):
                return
            self._take("target", call, tensors_in([*call.args[1:2], *call.kwargs.values()], 1), None)
        elif name in _BY_HAND:
            self._take("operand", call, tensors_in(call.args[:3], 1), None)

    def _leaves(self, call: Call) -> bool | None:
        """For arithmetic: only a plain parameter makes the other side an input."""
        if "mul" not in call.function.name or "mat" in call.function.name:
            return None
        return any(note.param >= 0 for note in call.notes)

    def _take(self, role: str, call: Call, given: list[torch.Tensor], fits: bool | None) -> None:
        if fits is False:
            return
        recorder = self.recorder
        backward = len(recorder.backwards)
        stack = recorder.kinds[recorder.ops[call.op].kind].stack
        times = self._times.get((stack, backward), 0)
        if times >= 2 or backward >= _PASSES or capturing():
            return
        for tensor in given:
            note = recorder.values.get(tensor)
            if note is None or note.carries or note.requires_grad or tensor.dim() == 0:
                continue
            self._times[stack, backward] = times + 1
            with Quiet():
                if digests.measurable(tensor):
                    self._feed(role, call, tensor, note, stack, backward)

    def _feed(
        self, role: str, call: Call, tensor: torch.Tensor, note: Note, stack: int, backward: int
    ) -> None:
        orders, since = self.orders.of(tensor)
        store, offset, column = self._place_of(tensor)
        look = Look(tensor, role != "input")
        self.dependence.take(role, tensor, backward)
        facts = {
            "role": role,
            "name": call.function.name,
            "stack": stack,
            "backward": backward,
            "shape": tuple(tensor.shape),
            "dtype": note.dtype,
            "created": note.created,
            "origin": note.origin,
            "orders": tuple(sorted(orders)),
            "since": since,
            "store": store,
            "offset": offset,
            "column": column,
            "repeated": id(note) in self._repeated or tensor.stride(0) == 0,
            "made": self._made.setdefault(id(note), (note, len(self._made)))[1],
        }
        self._feds.append((facts, look))

    def _place_of(self, tensor: torch.Tensor) -> tuple[int, int, int]:
        """Memory, first row in it, and a look at all of it where it is a column of targets."""
        pointer = Values.pointer(tensor)
        if not pointer:
            return -1, 0, -1
        base = tensor._base if tensor._is_view() and tensor._base is not None else tensor
        entry = self._stores.get(pointer)
        if entry is None or entry[0]() is None:
            entry = self._stores[pointer] = (weakref.ref(base), len(self._stores))
            count = tensor.untyped_storage().nbytes() // tensor.element_size()
            if tensor.numel() == tensor.shape[0] < count <= 10**6 and tensor.is_cpu and tensor.stride(0) == 1:
                whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (count,), (1,))
                self._column_of[entry[1]] = len(self._columns)
                self._columns.append(_column(whole))
        width = max(1, tensor.numel() // tensor.shape[0])
        return entry[1], tensor.storage_offset() // width, self._column_of.get(entry[1], -1)

    # -- moments -------------------------------------------------------------------------------------

    def window_ends(self) -> None:
        """Nothing is looked at any more. What is read from the source now still gets its places into the trace."""
        self._over = True
        self.facts()

    def expects(self) -> int:
        """Batches of a single class, one after the other, out of a sorted data set or not: the next class will tell."""
        stopped = [b for b in self._batches if b.ordered and b.grad]
        last = [
            b for b in stopped if b.loader == stopped[-1].loader and self._loader_column.get(b.loader, -1) < 0
        ]
        if len(last) < 3:
            return 0
        with Quiet():
            single = _single_class([[f[3].settle(self.known) for f in b.fields] for b in last[-3:]])
        return _FOLLOW if single else 0

    def facts(self) -> dict[str, Any]:
        """All of it."""
        with Quiet():
            feds = [t.Fed(**facts, **_settled(look.settle(self.known))) for facts, look in self._feds]
            feds = slices.marked(self.recorder.stacks, feds)
            if self._apart is None and self._over:
                self._apart = tuple(shuffles.apart(self.recorder.stacks)) if feds else ()
            data = t.Data(
                loaders=tuple(
                    [k.record or t.Loader("", k.created, "", "", 0, -1, -1) for k in self._loaders]
                ),
                batches=tuple([self._batch(b) for b in self._batches]),
                aliases=tuple(self.aliases.records()),
                orders=tuple(self.orders.found),
                feds=tuple(feds),
                columns=tuple(self._columns),
                apart=self._apart or (),
                dependence=self.dependence.measured(),
                loader_columns=tuple(sorted(self._loader_column.items())),
            )
        return {"data": data}

    def _batch(self, b: _Batch) -> t.Batch:
        fields = []
        for name, shape, dtype, look in b.fields:
            look.settle(self.known)
            fields.append(
                t.Field(
                    name, shape, dtype, look.content, look.distinct, look.varied, look.counts, look.changes
                )
            )
        return t.Batch(
            b.loader, b.turn, b.number, b.site, b.backward, b.grad, b.chosen, b.ordered, tuple(fields)
        )


def _single_class(batches: list[list[Look]]) -> bool:
    """Whether some column of numbers had a single value in all of several batches, and always the same."""
    for looks in zip(*batches, strict=False):
        values = {value for look in looks for value, _ in look.counts}
        if len(values) == 1 and all(len(look.counts) == 1 and look.counts[0][1] >= 4 for look in looks):
            return True
    return False


def _last(result: Any) -> bool:
    return isinstance(result, torch.Tensor) and result.requires_grad


def _length(thing: Any) -> int:
    try:
        return len(thing)
    except Exception:
        return -1


def _flatten(value: Any, name: str, found: list[tuple[str, torch.Tensor]], depth: int) -> None:
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        found.append((name, value))
    elif depth and kind in (tuple, list):
        for number, item in enumerate(value[:_FIELDS]):
            _flatten(item, f"{name}[{number}]", found, depth - 1)
    elif depth and issubclass(kind, dict):
        for key, item in list(dict.items(value))[:_FIELDS]:
            _flatten(item, f"{name}[{key!r}]" if type(key) is str else name, found, depth - 1)


def _column(column: torch.Tensor) -> t.Column:
    flat = column.reshape(-1)
    changes = int((flat[1:] != flat[:-1]).sum())
    return t.Column(len(flat), len(flat.unique()), changes)


def _settled(look: Look) -> dict[str, Any]:
    return {
        "content": look.content,
        "distinct": look.distinct,
        "counts": look.counts,
        "changes": look.changes,
        "rising": look.rising,
        "mean": look.mean,
        "spread": look.spread,
    }
