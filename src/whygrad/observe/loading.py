"""DataLoaders as the script makes and uses them: their passes, and in which order their batches have the rows."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

from whygrad import trace as t
from whygrad.observe import datasets, digests
from whygrad.observe.batches import Batch
from whygrad.observe.columns import Columns, columns
from whygrad.observe.digests import Look
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.loader_facts import described
from whygrad.observe.orders import RowOrders
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder

_BATCHES = 400  #: looked at, at most
_LOADERS = 200


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


class Loaders:
    """All of them. Nothing is looked at any more once it is ``over``."""

    def __init__(
        self, recorder: Recorder, problems: Problems, known: digests.Known, orders: RowOrders, found: Columns
    ) -> None:
        self.recorder, self.problems, self.known = recorder, problems, known
        self.orders, self.columns = orders, found
        self.over = False
        self.batches: list[Batch] = []
        #: For a loader the column that its targets come from.
        self.column_of: dict[int, int] = {}
        self._loaders: list[_Loader] = []
        self._passes: dict[int, _Pass] = {}

    def install(self, patches: Patches) -> None:
        """Hear of DataLoaders, their passes and batches."""
        patches.around(DataLoader, "__init__", after=self._built)
        patches.around(DataLoader, "__iter__", before=self._begins, after=self._began)
        patches.around(_BaseDataLoaderIter, "__next__", after=self._given)
        patches.around(_BaseDataLoaderIter, "_next_index", after=self._chose)

    def records(self) -> tuple[t.Loader, ...]:
        """Each loader that was made, described if it was used."""
        return tuple([k.record or t.Loader("", k.created, "", "", 0, -1, -1) for k in self._loaders])

    def _index(self, loader: Any) -> int:
        for index, known in enumerate(self._loaders):
            if known.ref() is loader:
                return index
        self._loaders.append(_Loader(loader, -1))
        return len(self._loaders) - 1

    @guarded("the construction of a DataLoader", None)
    def _built(self, token: Any, result: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        if not self.over and len(self._loaders) < _LOADERS:
            self._loaders.append(_Loader(loader, self.recorder.stacks.here()))

    @guarded("a pass over a DataLoader", None)
    def _begins(self, loader: Any) -> None:
        if self.over or self.recorder.own.paused:
            return
        known = self._loaders[self._index(loader)]
        known.turns += 1
        known.site = self.recorder.stacks.here()
        if loader._iterator is not None:
            self._pass(loader._iterator).chosen.clear()  # workers that persist begin again
        if known.record is None:
            with Quiet():
                known.record = described(self.recorder.stacks, loader, known.created)

    @guarded("a pass over a DataLoader", None)
    def _began(self, token: Any, result: Any, loader: Any) -> None:
        if not self.over and issubclass(type(result), _BaseDataLoaderIter):
            own, index = self._pass(result), self._index(loader)
            own.loader, own.turn = index, self._loaders[index].turns

    def _pass(self, iterator: Any) -> _Pass:
        own = self._passes.get(id(iterator))
        if own is None or own.ref() is not iterator:
            own = self._passes[id(iterator)] = _Pass(iterator)
        return own

    @guarded("the indices of a batch", None)
    def _chose(self, token: Any, result: Any, iterator: Any) -> None:
        if self.over or type(result) is not list or not result or any(type(i) is not int for i in result):
            return
        ordered = result == list(range(result[0], result[0] + len(result)))
        chosen = self._pass(iterator).chosen
        if len(chosen) < _BATCHES:
            chosen.append((hash(tuple(result)), ordered, tuple(result[:4096])))

    @guarded("a batch", None)
    def _given(self, token: Any, result: Any, iterator: Any) -> None:
        own = self._pass(iterator)
        if own.loader < 0 or self.over or len(self.batches) >= _BATCHES or self.recorder.own.paused:
            return
        index, turn, known = own.loader, own.turn, self._loaders[own.loader]
        number = iterator._num_yielded - 1
        passes = self.recorder.step if self.recorder.light else len(self.recorder.backwards)
        batch = Batch(index, turn, number, known.site, passes)
        rows: tuple[int, ...] = ()
        if number < len(own.chosen):
            digest, batch.ordered, rows = own.chosen[number]
            batch.chosen = self.known.content(digest)
        with Quiet():
            found = batch.take(result)
            if not self.recorder.light:
                self._order(index, found, rows)
                if batch.ordered and index not in self.column_of:
                    self.column_of[index] = self._find_column(known.ref(), batch, rows)
        self.batches.append(batch)

    def _order(self, index: int, found: list[tuple[str, torch.Tensor]], rows: tuple[int, ...]) -> None:
        """The rows of a batch come in the order of its indices, on top of the order of the data set's tensors."""
        loader = self._loaders[index].ref()
        dataset = loader.dataset if loader is not None else None
        own = dataset.tensors if type(dataset) is TensorDataset else ()
        if not rows or len(rows) < 2:
            return
        number = self.orders.number(self._loaders[index].created, self._rows(index), rows, index)
        for place, (_, tensor) in enumerate(found):
            if tensor.dim() and tensor.shape[0] == len(rows):
                matched = len(own) == len(found)
                orders, since = self.orders.of(own[place] if matched else tensor)
                self.orders.put(tensor, frozenset({(*o, number) for o in orders}), since)

    def _rows(self, index: int) -> int:
        record = self._loaders[index].record
        return -1 if record is None else record.rows

    def _find_column(self, loader: Any, batch: Batch, rows: tuple[int, ...]) -> int:
        """All the targets of the data set that this batch was taken from, found by comparing them."""
        if loader is None or not rows:
            return -1
        for column in columns(datasets.innermost(loader.dataset), self._rows(batch.loader)):
            part = Look(column.reshape(-1)[rows[0] : rows[0] + len(rows)]).settle(self.known)
            for _, shape, _, look in batch.fields:
                if (
                    len(shape) in (1, 2)
                    and shape[0] == len(rows)
                    and look.settle(self.known).content == part.content
                ):
                    return self.columns.add(column)
        return -1
