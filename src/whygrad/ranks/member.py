"""One process among several ranks, as the others see it: it says how it gets on, hands its trace over, and is ended
when it waits for what will not come (see ``stalling``)."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Callable, MutableMapping
from pathlib import Path

from whygrad.ranks.gathering import gather
from whygrad.ranks.job import Board, Folder, Messages, Place, State, Where, place
from whygrad.ranks.stalling import Decision, decide
from whygrad.trace import Trace, merge

#: The environment variable that names the job's folder to the ranks that ``whygrad run --nproc-per-node`` starts.
FOLDER = "WHYGRAD_JOB"
_BEAT = 1.0  #: seconds between two states
_LONG, _SELDOM = 2.0, 10  #: a rank that stood so long looks at the others every time, else at every tenth
_LET_GO = 120.0  #: seconds that a rank waits at most for the report


class Member:
    """This process in its job. ``joins``: it makes the report of all ranks (nobody else does)."""

    def __init__(self, own: Place, board: Callable[[], Board | None], joins: bool, hang: float) -> None:
        self.own, self.joins, self._hang = own, joins, hang
        self._make_board = board
        self._messages: Messages | None = None
        self._process = os.getpid()
        self._over = threading.Event()
        self._beat = self.steps = 0
        self._alone_since = 0.0
        self._ended = ""
        self._saying, self._connecting = threading.Lock(), threading.Lock()

    def start(self, where: Callable[[], Where | None], end: Callable[[Decision], None]) -> None:
        """Say once a second how this rank gets on, and call ``end`` (from a thread of ours) if it must not wait on.

        ``where``: where the script stands; None as long as it has not imported torch."""
        watching = threading.Thread(target=self._watch, args=(where, end), name="whygrad-member", daemon=True)
        watching.start()

    def checkpoint(self, trace: Trace) -> None:
        """Hand over what was seen so far, in case this rank is killed."""
        if os.getpid() == self._process and (messages := self._connected()) is not None:
            self.steps = trace.step_count()
            messages.say_trace(self.own.rank, trace)

    def refuse(self, sentence: str) -> None:
        """The script can't be run."""
        if messages := self._connected():
            messages.refuse(self.own.rank, sentence)

    def hand_over(self, trace: Trace) -> Trace | None:
        """The script is over. Gives the trace of all ranks where this process makes the report; else None, once the
        report is made or nobody can be making it any more."""
        self._over.set()
        messages = self._connected()
        if messages is None:
            return self._alone(trace) if self.joins else None
        self.steps = trace.step_count()
        messages.say_trace(self.own.rank, trace)
        with self._saying:
            self._ended = trace.ended
            self._say(messages, Where())
        if self.joins:
            return gather(messages, self.own.world, {self.own.rank: trace})
        until = time.monotonic() + _LET_GO
        while time.monotonic() < until and not messages.joined() and not messages.board.closed():
            time.sleep(0.05)
        return None

    def _alone(self, trace: Trace) -> Trace:
        """The others can't be reached (or, without torch, they have nothing to say)."""
        reason = "the store of torchrun's agent could not be reached, so that rank 0 is told of alone"
        return merge([trace], self.own.world, [reason] if "torch" in sys.modules else [])

    def let_go(self) -> None:
        """The report is made: nobody needs to wait any more."""
        if self.joins and self._messages is not None:
            self._messages.say_joined()

    def _connected(self) -> Messages | None:
        with self._connecting:
            if self._messages is None and (board := self._make_board()) is not None:
                self._messages = Messages(board)
            return self._messages

    def _say(self, messages: Messages, where: Where) -> State:
        self._beat += 1
        state = State(os.getpid(), self._beat, self.steps, where, self._ended)
        messages.say_state(self.own.rank, state)
        return state

    def _watch(self, where: Callable[[], Where | None], end: Callable[[Decision], None]) -> None:
        began = time.monotonic()
        while not self._over.wait(_BEAT):
            now = where()
            # not before: while the script imports torch, nobody else may
            messages = self._connected() if now is not None else None
            if messages is None or now is None:
                continue
            if messages.board.closed():
                os._exit(1)  # whoever started this job is gone
            with self._saying:
                if self._ended:
                    return
                own = self._say(messages, now)
            if own.where.seconds < _LONG and self._beat % _SELDOM:
                continue  # it gets on: what the others do is of little interest
            decision = self._decide(messages, own, time.monotonic() - began)
            if decision and not self._over.is_set():
                end(decision)
                return

    def _decide(self, messages: Messages, own: State, elapsed: float) -> Decision:
        ranks = (rank for rank in range(self.own.world) if rank != self.own.rank)
        others = [messages.state(rank) for rank in ranks]
        now = time.monotonic()
        alone = all(state is not None and state.ended for state in others)
        self._alone_since = (self._alone_since or now) if alone else 0.0
        return decide(own, others, self._hang, elapsed, now - self._alone_since if alone else 0.0)


def membership(hang: float, environ: MutableMapping[str, str] = os.environ) -> tuple[Member | None, str]:
    """This process's place in a job, None if it trains alone; and a sentence if its ranks can't be joined."""
    folder = environ.pop(FOLDER, "")  # the script's own processes are no members
    own = place(environ, 1 if folder else 2)
    if own is None:
        return None, ""
    if folder:
        board = Folder(Path(folder))
        return Member(own, lambda: board, False, hang), ""
    if environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True" and environ.get("TORCHELASTIC_RUN_ID"):
        told = dict(environ)  # the script may change it
        return Member(own, lambda: _store(told), own.rank == 0, hang), ""
    return None, (
        f"this is the report of rank {own.rank} of {own.world} alone: ranks are joined where torchrun, "
        "or whygrad run --nproc-per-node, has started them"
    )


def _store(environ: MutableMapping[str, str]) -> Board | None:
    """The board in the store of torchrun's agent; None as long as there is no torch."""
    if "torch" not in sys.modules:
        return None
    found: Board | None = importlib.import_module("whygrad.observe.store").connect(environ)
    return found
