"""The board of ranks that torchrun has started, on one node or on many: the store of its agent.

Every rank knows that store's address (``MASTER_ADDR`` and ``MASTER_PORT``), and the agent of the first node keeps it up
until all of its ranks have ended. What we put there has a prefix of its own, beside the keys of torch's process groups.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import timedelta

from torch._C._distributed_c10d import PrefixStore, TCPStore

#: The store takes 8 MiB at once (``MAX_PAYLOAD_LEN`` in TCPStoreBackend.cpp).
_PIECE = 4 << 20
_TIMEOUT = timedelta(seconds=15)


class StoreBoard:
    """Messages in pieces: the number of pieces stands under the name, the pieces beside it."""

    def __init__(self, store: PrefixStore) -> None:
        self._store = store

    def put(self, name: str, data: bytes) -> None:
        """Pieces first. A reader that comes in between gets a mixture, which no message of ours can be read from."""
        pieces = [data[i : i + _PIECE] for i in range(0, len(data), _PIECE)] or [b""]
        with contextlib.suppress(Exception):  # the agent is gone: nobody can be told
            for number, piece in enumerate(pieces):
                self._store.set(f"{name}.{number}", piece)  # type: ignore[arg-type]  # bytes are taken too
            self._store.set(name, str(len(pieces)))

    def get(self, name: str) -> bytes | None:
        """All pieces, None if there are none."""
        with contextlib.suppress(Exception):
            if self._store.check([name]):
                count = int(self._store.get(name))
                return b"".join(self._store.get(f"{name}.{number}") for number in range(count))
        return None

    def closed(self) -> bool:
        """The agent ends its ranks itself."""
        return False


def connect(environ: Mapping[str, str]) -> StoreBoard | None:
    """The board of this job (of this attempt at it, where the agent starts ranks again); None if it can't be had."""
    try:
        store = TCPStore(
            environ["MASTER_ADDR"], int(environ["MASTER_PORT"]), None, False, _TIMEOUT, wait_for_workers=False
        )
    except Exception:
        return None
    run = f"whygrad/{environ['TORCHELASTIC_RUN_ID']}/{environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"
    return StoreBoard(PrefixStore(run, store))
