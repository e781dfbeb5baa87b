"""What a small-batch check costs: seconds of ``whygrad.check`` over seconds of the same passes done plainly.

Usage: python benchmarks/check.py [--rounds N] [--threads N]

The model has ten million parameters, the batch eight samples. "Plain" are the passes that ``check`` makes, without it:
three training steps (forward, backward, optimizer) and the two forward passes in evaluation mode that ask whether
samples stay apart. Plain passes and checks alternate within one process; the ratio of their medians is printed, for an
optimizer that is given (Adam, which has a state to be kept; SGD, whose steps are cheap) and for the one that ``check``
makes if none is.

The last column leaves the optimizer's steps out of the plain passes, which ``check`` can't: on such a model those of Adam
take longer than forward and backward together.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

import whygrad

STEPS = 3
FORWARDS = 2


def model() -> nn.Module:
    """Ten million parameters in five layers."""
    layers: list[nn.Module] = []
    for wide, out in ((512, 2048), (2048, 2048), (2048, 1700), (1700, 1000), (1000, 10)):
        layers += [nn.Linear(wide, out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def medians(runs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Median seconds of each, taken by turns."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            if turn:  # the first turn warms up
                seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in seconds.items()}


def measured(name: str, given: bool, optimizer_of: Callable[..., torch.optim.Optimizer], rounds: int) -> None:
    """Measure with one optimizer and print a line."""
    torch.manual_seed(0)
    net, batch = model(), (torch.randn(8, 512), torch.randint(0, 10, (8,)))
    optimizer = optimizer_of(net.parameters(), lr=1e-4)

    def passes(step: bool) -> None:
        for _ in range(STEPS):
            optimizer.zero_grad()
            functional.cross_entropy(net(batch[0]), batch[1]).backward()
            if step:
                optimizer.step()
        net.eval()
        with torch.no_grad():
            for _ in range(FORWARDS):
                net(batch[0])
        net.train()

    def checked() -> None:
        own = optimizer if given else None
        report = whygrad.check(net, functional.cross_entropy, batch, own, steps=STEPS)
        assert report.verdict == "trains", report

    runs = {"plain": lambda: passes(True), "check": checked, "bare": lambda: passes(False)}
    took = medians(runs, rounds)
    print(
        f"{name:16} plain {took['plain']:.3f} s  check {took['check']:.3f} s  ratio {took['check'] / took['plain']:.2f}"
        f"  (forward and backward alone: {took['check'] / took['bare']:.2f})"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    count = sum(p.numel() for p in model().parameters())
    print(f"{count:,} parameters, batch 8, {STEPS} steps, {options.threads} threads")
    measured("Adam", True, torch.optim.Adam, options.rounds)
    measured("SGD", True, torch.optim.SGD, options.rounds)
    measured("none given", False, functools.partial(torch.optim.Adam, fused=True), options.rounds)


if __name__ == "__main__":
    main()
