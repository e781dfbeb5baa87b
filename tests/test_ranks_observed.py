"""What observing needs to know of torch where several ranks train: the agent's store, and where a thread stands."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
import torch.distributed as dist
from threads import in_a_thread_of_its_own

from whygrad.observe.frames import Stacks
from whygrad.observe.session import Session
from whygrad.observe.sharding import freed, is_shard, local
from whygrad.observe.standing import Standing
from whygrad.observe.stats import look
from whygrad.observe.store import connect


def test_messages_of_any_size_pass_through_the_store_of_torchruns_agent() -> None:
    server = dist.TCPStore("localhost", 0, None, True, timedelta(seconds=20), wait_for_workers=False)
    told = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(server.port), "TORCHELASTIC_RUN_ID": "job"}
    one, other, later = connect(told), connect(told), connect({**told, "TORCHELASTIC_RESTART_COUNT": "1"})
    assert one is not None
    assert other is not None
    assert later is not None
    assert other.get("trace-1") is None
    big = bytes(range(256)) * 50_000  # beyond the 8 MiB that the store takes at once
    for message in (b"", b"\x00\xff short", big, b"short again"):
        one.put("trace-1", message)
        one.put("state-1", message[-9:])
        until = time.monotonic() + 20
        # the store takes messages without an answer, those of one rank in their order
        while other.get("state-1") != message[-9:] and time.monotonic() < until:
            time.sleep(0.01)
        assert other.get("trace-1") == message
    assert later.get("trace-1") is None  # another attempt at the same job
    assert not one.closed()
    assert connect({**told, "MASTER_PORT": "none"}) is None


class Thread:
    """A thread that runs ``function`` and is looked at."""

    def __init__(self, function: object) -> None:
        self.thread = threading.Thread(target=function, daemon=True)  # type: ignore[arg-type]
        self.thread.start()
        self.standing = Standing(Stacks(str(Path(torch.__file__).parent)))
        self.standing._thread = self.thread.ident


def test_a_thread_that_does_not_move_is_told_with_its_line() -> None:
    released: queue.Queue[int] = queue.Queue()

    def wait() -> None:
        released.get()

    one = Thread(wait)
    one.standing.look()
    time.sleep(0.3)
    where = one.standing.look()
    released.put(1)
    assert where.code == "released.get()"
    assert where.file == __file__
    assert where.seconds >= 0.25
    assert not where.waits


def test_a_thread_that_moves_has_stood_nowhere_for_long() -> None:
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            sum(range(50))

    one = Thread(work)
    seconds = 0.0
    for _ in range(6):
        time.sleep(0.05)
        seconds = max(seconds, one.standing.look().seconds)
    over.set()
    assert seconds < 0.2


def test_a_collective_call_is_told_by_its_name() -> None:
    store = dist.HashStore()
    store.set_timeout(timedelta(seconds=2))
    began = threading.Event()

    def gather() -> None:
        began.set()
        with pytest.raises(dist.DistError):
            dist.init_process_group("gloo", store=store, rank=0, world_size=2, timeout=timedelta(seconds=2))

    one = Thread(gather)
    assert began.wait(5)
    time.sleep(0.5)
    where = one.standing.look()
    one.thread.join(20)
    assert where.call == "init_process_group"
    assert where.waits


def test_the_thread_itself_stands_nowhere() -> None:
    standing = Standing(Stacks(str(Path(torch.__file__).parent)))
    standing.take()
    assert standing.taken is None


def test_a_freed_tensor_is_not_read() -> None:
    """To read one ends the process: ``fully_shard`` leaves such parameters behind between two uses."""
    tensor = torch.ones(1000)
    assert not freed(tensor)
    assert look(tensor) is not None
    tensor.untyped_storage().resize_(0)
    assert freed(tensor)
    assert look(tensor) is None


@in_a_thread_of_its_own
def test_of_a_dtensor_this_ranks_part_is_measured() -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        whole = torch.arange(12.0).reshape(4, 3)
        for placement in (Shard(0), Replicate()):
            tensor = distribute_tensor(whole, mesh, [placement])
            assert is_shard(tensor)
            assert type(local(tensor)) is torch.Tensor
            seen, known = look(tensor), look(whole)
            assert seen == known
    finally:
        dist.destroy_process_group()
    assert not is_shard(whole)
    assert local(whole) is whole


def test_torch_swaps_no_tensor_that_something_refers_to_weakly() -> None:
    one, other = torch.ones(2), torch.zeros(3)
    seen = weakref.ref(one)
    with pytest.raises(RuntimeError, match="weakref"):
        torch.utils.swap_tensors(one, other)
    assert seen() is one


def test_but_one_that_is_only_observed() -> None:
    """``to_empty`` of a model that was sharded on the meta device goes this way, and ``module.to()`` if asked to."""
    session = Session("train.py", (), 10, lambda: None, lambda trace: None)
    session.attach()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        weight = model.weight
        model.double()
        assert model.weight is weight
        for _ in range(3):
            model(torch.randn(5, 4, dtype=torch.float64)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
        session.detach()
    assert torch.utils.weakref is weakref
    trace = session.trace("end", None, 0, 0.0)
    assert not trace.problems
    alive = [p for p in trace.params if p.role == "parameter" and p.alive]
    assert [(p.fqn, p.dtype, p.changed) for p in alive] == [
        ("weight", "float64", True),
        ("bias", "float64", True),
    ]
