"""What the watcher of incoming data relies on in torch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402
from torch.utils.data.dataloader import _BaseDataLoaderIter  # noqa: E402


def test_a_slice_knows_its_base_and_writes_through_a_view_count() -> None:
    base = torch.zeros(6, 2)
    view = base[2:4]
    assert view._base is base
    assert view.storage_offset() == 4
    before = base._version
    view.fill_(1.0)
    assert base._version == before + 1 == view._version


def test_the_batch_iterator_has_the_methods_that_are_watched() -> None:
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2)
    iterator = iter(loader)
    assert isinstance(iterator, _BaseDataLoaderIter)
    assert {"__next__", "_next_index"} <= vars(_BaseDataLoaderIter).keys()
    assert iterator._next_index() == [0, 1]
    next(iterator)
    assert iterator._num_yielded == 1


def test_default_collate_stacks_what_items_return() -> None:
    buffer = torch.zeros(3)
    rows = torch.utils.data.default_collate([buffer.fill_(k) for k in range(4)])
    assert (rows == 3).all()


def test_a_generator_held_by_a_dataset_has_one_state_in_all_its_copies() -> None:
    generator = torch.Generator().manual_seed(3)
    copy = torch.Generator()
    copy.set_state(generator.get_state())
    assert torch.equal(torch.rand(4, generator=generator), torch.rand(4, generator=copy))
    assert torch.equal(generator.get_state(), copy.get_state())


def test_fork_rng_puts_the_state_back_through_set_rng_state(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = torch.random.set_rng_state
    for owner in (torch, torch.random):
        monkeypatch.setattr(owner, "set_rng_state", lambda state: (calls.append(1), original(state)))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
    assert calls
