"""What ranks would exchange for a monitor that reduces its numbers, and what joining their traces takes, on 2 to 64 ranks.

Usage: python benchmarks/ranks.py [--most N] [--rounds N] [--monitor]

Torch is imported once; the ranks are forks of this process, in gloo groups on one machine. Printed are, for each number of
ranks and each size of the reduced vector, the bytes and the write calls of one rank for one ``all_reduce``, counted by the
kernel (``/proc/self/io``), beside what the model of docs/ranks.md says; and the time of one call, which on a machine with
fewer cores than ranks is the time of all ranks' work one after the other. Then the join: seconds from the last rank's
end to one joined trace, over a folder and over the store of torchrun's agent.

``--monitor``: instead, what ``whygrad.watch`` costs under DistributedDataParallel on 2 ranks with one thread each. Plain and
watched copies of a transformer take their steps in turn, in an order that is drawn anew for every round and the same on both
ranks; printed are the median over the rounds of a watched step over the plain one of the same round, with its 95 % interval.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

import whygrad
from whygrad.observe.store import connect
from whygrad.ranks.gathering import gather
from whygrad.ranks.job import Board, Folder, Messages, State
from whygrad.trace import Optimizer, Param, Step, StepParam, Trace

SIZES = (1_000, 10_000, 100_000)  #: numbers of eight bytes in the reduced vector
FORK = multiprocessing.get_context("fork")
HEADER = 48  #: bytes with which gloo begins each write
LIMIT = 400.0  #: seconds for one group of ranks


def model(ranks: int, numbers: int) -> tuple[float, float]:
    """Bytes and write calls of one rank. A ring: each rank sends every part of the vector but one, twice over; gloo writes
    six times for a part, each time with a header."""
    writes = 6 * 2 * (ranks - 1)
    return 2 * (ranks - 1) / ranks * 8 * numbers + HEADER * writes, writes


def written() -> tuple[int, int]:
    """Bytes and calls that this process has written so far."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["wchar"]), int(fields["syscw"])


def reducing(rank: int, ranks: int, folder: str, rounds: int) -> list[tuple[int, float, float, float]]:
    """For each size: bytes, write calls and seconds of one ``all_reduce`` on this rank."""
    store = dist.FileStore(f"{folder}/store", ranks)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=LIMIT)
    )
    found = []
    for size in SIZES:
        vector = torch.ones(size, dtype=torch.float64)
        dist.all_reduce(vector)
        dist.barrier()
        before, seconds = written(), []
        for _ in range(rounds):
            began = time.perf_counter()
            dist.all_reduce(vector)
            seconds.append(time.perf_counter() - began)
        after = written()
        sent, calls = ((after[i] - before[i]) / rounds for i in (0, 1))
        found.append((size, sent, calls, statistics.median(seconds)))
        dist.barrier()
    dist.destroy_process_group()
    return found


def trace_of(rank: int, parameters: int = 100, steps: int = 10) -> Trace:
    """A record like that of a small training: rows of a hundred parameters in ten steps."""
    params = tuple(
        Param(f"layers.{i}.weight", "parameter", "model", "Linear", (64, 64), "float32", True, True, True)
        for i in range(parameters)
    )
    rows = [
        tuple(StepParam(i, 0.1 * i + rank, 0.01, 8.0, 12345 * i * s, 0) for i in range(parameters))
        for s in range(steps)
    ]
    taken = tuple(Step(s, 0, -1, (0.1,), row) for s, row in enumerate(rows))
    environment: dict[str, str | int] = {"rank": rank, "world_size": 0}
    optimizer = Optimizer("SGD", "optimizer", -1, 0, (), steps)
    return Trace(
        "train.py", (), environment, "steps", 1.0, params=params, optimizers=(optimizer,), steps=taken
    )


def handing_over(rank: int, make: Callable[[], Board | None]) -> None:
    """What a rank does at its end."""
    board = make()
    assert board is not None
    said = Messages(board)
    said.say_trace(rank, trace_of(rank))
    said.say_state(rank, State(os.getpid(), 1, 10, ended="steps"))
    while not said.joined():
        time.sleep(0.2)


def in_ranks(ranks: int, work: Callable[..., Any], *args: Any) -> list[Any]:
    """Run ``work(rank, *args)`` in forks; every process is ended after ``LIMIT`` seconds. Their results."""
    pipes = [FORK.Pipe(duplex=False) for _ in range(ranks)]

    def one(rank: int, answer: Connection) -> None:
        answer.send(work(rank, *args))

    children = [FORK.Process(target=one, args=(rank, pipes[rank][1]), daemon=True) for rank in range(ranks)]
    for child in children:
        child.start()
    until = time.monotonic() + LIMIT
    try:
        answers = []
        for receiver, _ in pipes:
            if not receiver.poll(max(0.0, until - time.monotonic())):
                raise SystemExit(f"{ranks} ranks did not come to an end within {LIMIT:.0f} s")
            answers.append(receiver.recv())
        return answers
    finally:
        for child in children:
            child.join(5)
            child.kill()


def joining(ranks: int, over: str) -> float:
    """Seconds of the join of ``ranks`` traces over a folder or the agent's store."""
    with tempfile.TemporaryDirectory() as folder:
        server = None
        if over == "store":
            server, address = agent()
            board, make = connect(address), lambda: connect(address)
        else:
            board, make = Folder(Path(folder)), lambda: Folder(Path(folder))
        assert board is not None
        said = Messages(board)

        def answer() -> float:
            while any(said.state(rank) is None for rank in range(ranks)):
                time.sleep(0.2)
            began = time.perf_counter()
            assert gather(said, ranks) is not None
            seconds = time.perf_counter() - began
            said.say_joined()
            return seconds

        children = [FORK.Process(target=handing_over, args=(r, make), daemon=True) for r in range(ranks)]
        for child in children:
            child.start()
        try:
            return answer()
        finally:
            for child in children:
                child.join(10)
                child.kill()
            if server is not None:
                server.kill()


def agent() -> tuple[Any, dict[str, str]]:
    """A process with the store that torchrun's agent would have, and its address."""
    receiver, sender = FORK.Pipe(duplex=False)

    def serve() -> None:
        store = dist.TCPStore("localhost", 0, None, True, timedelta(seconds=LIMIT), wait_for_workers=False)
        sender.send(store.port)
        time.sleep(LIMIT)

    server = FORK.Process(target=serve, daemon=True)
    server.start()
    return server, {
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(receiver.recv()),
        "TORCHELASTIC_RUN_ID": "b",
    }


def watched(rank: int, port: int, folder: str, rounds: int) -> dict[str, tuple[float, float, float, float]]:
    """For each way to watch: the ratio of the clock with its interval, and of processor time."""
    store = dist.TCPStore("localhost", port, 2, rank == 0, timedelta(seconds=LIMIT))
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=LIMIT * 4)
    )
    steps = {name: trained(f"{folder}/{name}", every) for name, every in WATCHED.items()}
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    processor: dict[str, list[float]] = {name: [] for name in steps}
    order, ended, draw = list(steps), dict.fromkeys(steps, time.perf_counter()), random.Random(0)
    for number in range(rounds + 5):
        draw.shuffle(order)
        for name in order:
            step, watch = steps[name]
            if watch is not None:  # the others' steps in between are none of its training
                watch._cadence.other(time.perf_counter() - ended[name])
            began, busy = time.perf_counter(), time.process_time()
            step()
            ended[name] = time.perf_counter()
            if number >= 5:
                seconds[name].append(ended[name] - began)
                processor[name].append(time.process_time() - busy)
    told = [watch for _, watch in steps.values() if watch is not None]
    if rank == 0:
        print([(w.every, w._cadence.looks, w.alarms, w.problems) for w in told], flush=True)
    for watch in told:
        watch.close()
    dist.barrier()
    return {name: compared(seconds, processor, name) for name in steps if name != "plain"}


WATCHED = {"plain": 0, "default": None, "every step": 1}


def trained(record: str, every: int | None) -> tuple[Callable[[], None], Any]:
    """A step of a transformer of 4 layers, d = 256, 8 x 64 tokens, AdamW, 3.7 million parameters; and its watch."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Embedding(1000, 256), body, nn.Linear(256, 1000))
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, 1000, (8, 64))
    watch = None if every == 0 else whygrad.watch(model, optimizer, every=every, record=record, on_alarm=None)

    def step() -> None:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        if watch is not None:
            watch.step(loss)

    return step, watch


def compared(
    seconds: dict[str, list[float]], processor: dict[str, list[float]], name: str
) -> tuple[float, float, float, float]:
    """The median of the paired ratios, its 95 % interval (bootstrap), and that of processor time."""
    pairs = [a / b for a, b in zip(seconds[name], seconds["plain"], strict=True)]
    draws = sorted(statistics.median(random.choices(pairs, k=len(pairs))) for _ in range(400))
    busy = [a / b for a, b in zip(processor[name], processor["plain"], strict=True)]
    return statistics.median(pairs), draws[10], draws[-11], statistics.median(busy)


def monitor(rounds: int) -> None:
    """Print what the monitor costs on 2 ranks."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        answers = in_ranks(2, watched, port, folder, rounds)
    for rank, answer in enumerate(answers):
        for name, (middle, low, high, busy) in answer.items():
            print(f"rank {rank}, {name}: {middle:.3f} ({low:.3f} to {high:.3f}), processor time {busy:.3f}")


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--most", type=int, default=64)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--monitor", action="store_true")
    asked = options.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    if asked.monitor:
        monitor(asked.rounds)
        return
    counts = [n for n in (2, 4, 8, 16, 32, 64) if n <= asked.most]
    print("ranks  numbers  bytes/rank   model  writes/rank  model  seconds", flush=True)
    for ranks in counts:
        with tempfile.TemporaryDirectory() as folder:
            answers = in_ranks(ranks, reducing, ranks, folder, asked.rounds)
        for size, *rest in answers[0]:
            number = SIZES.index(size)
            sent, calls = (statistics.mean(a[number][i] for a in answers) for i in (1, 2))
            volume, writes = model(ranks, size)
            print(
                f"{ranks:5}  {size:7}  {sent:10.0f}  {sent / volume:5.3f}x  {calls:11.0f}  {calls / writes:4.2f}x"
                f"  {rest[2]:.4f}",
                flush=True,
            )
    print("\nranks  join over a folder  over the store  (seconds)", flush=True)
    for ranks in counts:
        print(f"{ranks:5}  {joining(ranks, 'folder'):18.2f}  {joining(ranks, 'store'):14.2f}", flush=True)


if __name__ == "__main__":
    main()
