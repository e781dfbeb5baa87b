"""Several processes that train together: which of them this is, and what they tell each other.

The launcher (torchrun's) writes a rank's place into the environment. Beside the training the ranks share a *board*: named
messages, of which the last one counts. No collective operation of torch's is ever used for it. No torch here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from whygrad.trace import Trace, TraceError, packed, unpacked


@dataclass(frozen=True)
class Place:
    """``rank`` of ``world`` processes, both counted over all nodes."""

    rank: int
    world: int


def place(environ: Mapping[str, str] = os.environ, least: int = 2) -> Place | None:
    """The place of this process among ``least`` or more; None if it trains alone, as far as the environment says."""
    try:
        found = Place(int(environ["RANK"]), int(environ["WORLD_SIZE"]))
    except (KeyError, ValueError):
        return None
    return found if found.world >= least and 0 <= found.rank < found.world else None


class Where(msgspec.Struct, frozen=True):
    """Where the training thread of a process stands: the user's line (``file``, ``line``, ``code``), ``call`` (what it
    calls there), for how many ``seconds`` it has not moved, and whether it ``waits`` there for others rather than works."""

    file: str = ""
    line: int = 0
    code: str = ""
    call: str = ""
    seconds: float = 0.0
    waits: bool = False


class State(msgspec.Struct, frozen=True):
    """How one rank gets on, as it says itself once a second. ``beat`` counts these messages; ``steps`` are optimizer
    steps. ``ended``: its script is over, and how (``Trace.ended``); empty before."""

    pid: int
    beat: int
    steps: int
    where: Where = Where()
    ended: str = ""


class Board(Protocol):
    """Where the ranks of a job put their messages."""

    def put(self, name: str, data: bytes) -> None:
        """Put a message in the place of an earlier one of that name. Never raises."""

    def get(self, name: str) -> bytes | None:
        """The message of that name; None if there is none. Never raises."""

    def closed(self) -> bool:
        """Whether nobody reads any more: the job is over."""


class Folder:
    """A board of files, for ranks that were started together on one machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, data: bytes) -> None:
        """Through a file beside it, so that a message is read whole or not at all."""
        part = self.path / f".{name}.{os.getpid()}"
        with contextlib.suppress(OSError):
            part.write_bytes(data)
            part.replace(self.path / name)

    def get(self, name: str) -> bytes | None:
        """The file's bytes."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def closed(self) -> bool:
        """Whether the folder has been removed."""
        return not self.path.is_dir()


class Messages:
    """What is said on a board, in words of its own."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def state(self, rank: int) -> State | None:
        """How a rank gets on; None if it has said nothing yet."""
        return self._decoded(f"state-{rank}", State)

    def say_state(self, rank: int, state: State) -> None:
        """Say how this rank gets on."""
        self.board.put(f"state-{rank}", msgspec.msgpack.encode(state))

    def trace(self, rank: int) -> Trace | None:
        """What a rank has seen so far."""
        data = self.board.get(f"trace-{rank}")
        try:
            return None if data is None else unpacked(data, f"the trace of rank {rank}")
        except TraceError:
            return None

    def say_trace(self, rank: int, trace: Trace) -> None:
        """Hand a trace over."""
        self.board.put(f"trace-{rank}", packed(trace))

    def refusal(self, rank: int) -> str:
        """Why a rank could not run its script at all (a sentence for the user); empty if it could."""
        return (self.board.get(f"refused-{rank}") or b"").decode(errors="replace")

    def refuse(self, rank: int, sentence: str) -> None:
        """Say that this rank can't run the script."""
        self.board.put(f"refused-{rank}", sentence.encode())

    def joined(self) -> bool:
        """Whether the report is made, so that nobody needs to wait any more."""
        return self.board.get("joined") is not None

    def say_joined(self) -> None:
        """Let the others go."""
        self.board.put("joined", b"1")

    def _decoded(self, name: str, kind: type[State]) -> State | None:
        data = self.board.get(name)
        try:
            return None if data is None else msgspec.msgpack.decode(data, type=kind)
        except msgspec.MsgspecError:
            return None
