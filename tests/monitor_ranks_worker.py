"""One rank of several that train under ``whygrad.watch``: ``python monitor_ranks_worker.py FOLDER SCENARIO...``.

Runs the scenarios one after the other in one process group, each with a record in the folder, and leaves a line of JSON for
each: what the rank has computed, and what its watch says."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

import whygrad
from whygrad.monitor import pace

STEPS = 24
#: Checksums in every measured step, whatever they cost here.
pace._SHARE = 1e9


def net(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 14), nn.ReLU(), nn.Linear(14, 4))


def train(scenario: str, model: nn.Module, inner: nn.Module, watched: Any, optimizer: Any) -> None:
    """``STEPS`` steps; sharded models get the same data on all ranks, as a single process would."""
    rank = dist.get_rank() if scenario not in ("fsdp", "tensor", "single") else 0
    torch.manual_seed(100 + rank)
    for step in range(1, STEPS + 1):
        x, y = torch.randn(16, 8), torch.arange(16) % 4
        called = inner if scenario == "past" else model
        if step == 10 and rank == 1:
            if scenario == "drift":
                with torch.no_grad():
                    inner[0].weight.add_(0.01)  # type: ignore[index,operator,union-attr]
            elif scenario == "nan":
                x[0, 0] = float("nan")
            elif scenario == "early":
                return
            elif scenario == "killed":
                os.kill(os.getpid(), 9)
        if scenario in ("early", "killed") and step >= 10:
            called = inner
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(called(x), y)
        loss.backward()
        optimizer.step()
        if scenario == "averaged" and step % 8 == 0:
            for p in inner.parameters():
                dist.all_reduce(p.data)
                p.data /= dist.get_world_size()
        if watched is not None:
            watched.step(loss.detach())


def made(scenario: str) -> tuple[nn.Module, nn.Module]:
    """The model as it is called, and what is in it."""
    inner = net(0 if scenario in ("fsdp", "tensor", "single", "averaged") else dist.get_rank())
    if scenario == "fsdp":
        fully_shard(inner, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    elif scenario == "tensor":
        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        parallelize_module(inner, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    elif scenario not in ("averaged", "single"):
        return DistributedDataParallel(inner), inner
    return inner, inner


def run(folder: Path, scenario: str, observed: bool) -> dict[str, Any]:
    model, inner = made(scenario)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    record = folder / f"{scenario}.whygrad"
    alone = scenario == "alone" and dist.get_rank() > 0
    watching: Any = (
        whygrad.watch(model, optimizer, every=1, record=record) if observed and not alone else None
    )
    began = time.monotonic()
    with watching or contextlib.nullcontext():
        train(scenario, model, inner, watching, optimizer)
    digest = hashlib.sha256(torch.get_rng_state().numpy().tobytes())
    for p in inner.parameters():
        here = p._local_tensor if isinstance(p, DTensor) else p
        digest.update(here.detach().numpy().tobytes())
    return {
        "scenario": scenario,
        "rank": dist.get_rank(),
        "computed": digest.hexdigest(),
        "steps": watching.steps if watching else 0,
        "alarms": [
            [a.rule, a.step, a.title, list(a.parameters)] for a in (watching.alarms if watching else [])
        ],
        "problems": list(watching.problems) if watching else [],
        "seconds": time.monotonic() - began,
    }


def main() -> None:
    folder, scenarios = Path(sys.argv[1]), sys.argv[2:]
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for name in scenarios:
        scenario, _, how = name.partition(":")
        answer = run(folder, scenario, how != "plain")
        with (folder / f"{dist.get_rank()}.jsonl").open("a") as file:
            file.write(json.dumps({**answer, "how": how}) + "\n")
    if not {"early", "killed"} & set(scenarios):
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
