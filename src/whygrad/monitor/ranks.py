"""Ranks of one training, for the monitor: what each holds of a parameter, and the store over which they tell it.

The store is the one that ``init_process_group`` has made (torch's TCPStore), over a connection and under a prefix of our own. It
is used by threads of ours only. No collective operation is called: none can be waited for in vain, whichever ranks watch,
at whichever steps, and whichever of them ends first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, TCPStore

from whygrad.monitor.across import COPY, SHARD, WHOLE, Held, Message, Peer
from whygrad.monitor.parts import measurable
from whygrad.monitor.rows import Track
from whygrad.observe.sharding import is_shard, local
from whygrad.observe.stats import checksum

_TIMEOUT = timedelta(seconds=5)
_KEPT = 16  #: messages of a rank that the store holds


class Line:
    """The connection of this rank; ``names``: of the parameters that are watched. Every method but the constructor is for one
    thread of ours; a connection that fails is given up (``lost``), and the training goes on."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._what = hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        store = dist.distributed_c10d._get_default_store()
        while isinstance(store, PrefixStore):
            store = store.underlying_store
        #: Whether there is a store to tell it over at all.
        self.usable = isinstance(store, TCPStore)
        self._address = (store.host, store.port) if isinstance(store, TCPStore) else None
        self._store: Any = None
        self.lost = not self.usable
        self._number = 0
        self.peers = {rank: Peer() for rank in range(self.world) if rank != self.rank}

    def connect(self) -> None:
        """Say hello. A client of its own: it keeps no server up, and no call of the training's waits behind one of ours."""
        if self._address is None:
            return
        with self._given_up():
            host, port = self._address
            store = TCPStore(host, port, None, False, _TIMEOUT, wait_for_workers=False)
            job = f"{os.environ.get('TORCHELASTIC_RUN_ID', '')}/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"
            # of each rank the first watch of such parameters is told together, then the second, ...
            count = store.add(f"whygrad-watch/{job}/{self._what}/{self.rank}", 1)
            self._store = PrefixStore(f"whygrad-watch/{job}/{self._what}/{count}", store)

    def hold(self, number: int, held: Held) -> None:
        """Tell what this rank's track of that number is."""
        self._set(f"{self.rank}/held/{number}", held)

    def say(self, message: Message) -> None:
        """One more message; the store keeps the last ones."""
        message.number = self._number
        self._set(f"{self.rank}/{self._number % _KEPT}", message)
        self._number += 1

    def hear(self) -> None:
        """Take in what the peers have said since the last time."""
        with self._given_up():
            for rank, peer in self.peers.items():
                while not peer.over and (message := self._get(f"{rank}/{peer.next % _KEPT}", Message)):
                    if message.number < peer.next:
                        break
                    for number in {row.track for row in message.rows} - peer.held.keys():
                        if held := self._get(f"{rank}/held/{number}", Held):
                            peer.held[number] = held
                    peer.take(message)

    def set_pace(self, every: int) -> None:
        """Rank 0: the cadence that suits all."""
        self._set("pace", every)

    def pace(self) -> int:
        """The cadence that suits all, 1 if there is none."""
        with self._given_up():
            return self._get("pace", int) or 1
        return 1

    def close(self) -> None:
        """Let go of the connection."""
        self._store = None
        self.lost = True

    def _set(self, key: str, value: Any) -> None:
        with self._given_up():
            if self._store is not None:
                self._store.set(key, msgspec.msgpack.encode(value))

    def _get(self, key: str, kind: Any) -> Any:
        if self._store is None or not self._store.check([key]):
            return None
        return msgspec.msgpack.decode(self._store.get(key), type=kind)

    def _given_up(self) -> Any:
        return _Lost(self)


class _Lost(contextlib.AbstractContextManager[None]):
    """The store is gone (its process has ended), or holds what is not ours."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if isinstance(error, Exception):
            self._line.close()
        return error is None or isinstance(error, Exception)


def several() -> bool:
    """Whether this process trains together with others, as torch.distributed has been told."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def held(track: Track, params: Sequence[torch.Tensor], group: tuple[int, ...]) -> Held:
    """A track, as this rank has it."""
    return Held(
        track.optimizer,
        track.names,
        tuple(_kind(p) for p in params),
        tuple(local(p).numel() for p in params),
        tuple(tuple(p.shape) for p in params),
        group,
    )


def replicas(models: Sequence[torch.nn.Module]) -> tuple[int, ...]:
    """The ranks that DistributedDataParallel keeps alike; empty where it is not used, where a hook reduces in its own way,
    or where some parameters are left out."""
    for model in models:
        wrapper: Any = model
        own = getattr(wrapper, "_comm_hooks", ()) or getattr(wrapper, "parameters_to_ignore", ())
        if type(model).__name__ == "DistributedDataParallel" and not own:
            return tuple(dist.get_process_group_ranks(wrapper.process_group))
    return ()


def sums_of(params: Sequence[torch.Tensor]) -> torch.Tensor:
    """A checksum of each parameter's bits (0 where there are none), on its device; nothing waits for it."""
    here = [measurable(p.detach()) if not is_shard(p) else measurable(p) for p in params]
    zero = torch.zeros((), dtype=torch.int64, device=local(params[0]).device)
    return torch.stack([zero if p is None else checksum(p.detach()) for p in here])


def _kind(param: torch.Tensor) -> int:
    if not is_shard(param):
        return WHOLE
    placements, mesh = param.placements, param.device_mesh  # type: ignore[attr-defined]
    if all(p.is_replicate() for p in placements):
        return WHOLE
    at = mesh.get_coordinate()
    counts = at is not None and all(
        not p.is_replicate() or c == 0 for p, c in zip(placements, at, strict=True)
    )
    return SHARD if counts else COPY
