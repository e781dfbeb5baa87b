"""What a small-batch check costs: seconds of ``whygrad.check`` over seconds of the same steps without it.

Usage: python benchmarks/check.py [--rounds N] [--threads N]

The model has ten million parameters, the batch eight samples. Plain steps and checks alternate within one process; the
ratio of their medians is printed. ``check`` also keeps and restores the state, exchanges a sample, and makes the report.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

import whygrad

STEPS = 3


def model() -> nn.Module:
    """Ten million parameters in five layers."""
    layers: list[nn.Module] = []
    for wide, out in ((512, 2048), (2048, 2048), (2048, 1700), (1700, 1000), (1000, 10)):
        layers += [nn.Linear(wide, out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    net, batch = model(), (torch.randn(8, 512), torch.randint(0, 10, (8,)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)

    def plain() -> None:
        for _ in range(STEPS):
            optimizer.zero_grad()
            functional.cross_entropy(net(batch[0]), batch[1]).backward()
            optimizer.step()

    def checked() -> None:
        report = whygrad.check(net, functional.cross_entropy, batch, optimizer, steps=STEPS)
        assert report.verdict == "trains", report

    plain()
    checked()
    seconds: dict[str, list[float]] = {"plain": [], "checked": []}
    for _ in range(options.rounds):
        for name, run in (("plain", plain), ("checked", checked)):
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    base, with_check = (statistics.median(seconds[name]) for name in ("plain", "checked"))
    count = sum(p.numel() for p in net.parameters())
    print(
        f"{count:,} parameters, batch 8, {STEPS} steps: plain {base:.3f} s, check {with_check:.3f} s, ratio {with_check / base:.2f}"
    )


if __name__ == "__main__":
    main()
