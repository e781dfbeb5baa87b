"""What observing costs: seconds of an observed training step over seconds of a plain one.

Usage: python benchmarks/overhead.py [--rounds N] [--only NAME] [--threads N]

Plain and observed blocks of steps alternate within one process, so that a noisy machine hits both alike; the
ratio of their medians is printed, with the time from the last step to the verdict and the import of whygrad.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
from torch import nn

from whygrad.diagnose import diagnose
from whygrad.observe.observation import Observation

Step = Callable[[], None]


def transformer() -> Step:
    """4 layers, d = 256, batch 16 x 128 tokens, AdamW."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    model = nn.ModuleDict({"embed": nn.Embedding(1000, 256), "body": body, "head": nn.Linear(256, 1000)})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, 1000, (16, 128))

    def step() -> None:
        optimizer.zero_grad()
        logits = model["head"](model["body"](model["embed"](tokens)))
        nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()

    return step


def mlp() -> Step:
    """A tiny MLP of 2 layers: here Python is everything."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 16), torch.randint(0, 4, (32,))

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def block(step: Step, steps: int) -> list[float]:
    """Seconds of each of some steps."""
    seconds = []
    for _ in range(steps):
        began = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - began)
    return seconds


def compare(make: Callable[[], Step], steps: int, rounds: int) -> tuple[float, float, float]:
    """Median of observed over median of plain steps, the plain median, and seconds to the verdict."""
    plain, observed, verdicts = [], [], []
    for _ in range(rounds):
        torch.manual_seed(0)
        step = make()
        block(step, 2)
        plain += block(step, steps)
        watching = Observation(10_000, lambda: None, lambda: None, lambda done: None)
        watching.install()
        try:
            step = make()
            observed += block(step, steps)
        finally:
            began = time.perf_counter()
            watching.remove()
        trace = watching.trace("benchmark", (), "end", None, 0, 0.0)
        diagnose(trace)
        verdicts.append(time.perf_counter() - began)
    base = statistics.median(plain)
    return statistics.median(observed) / base, base, max(verdicts)


def import_seconds() -> tuple[float, float]:
    """Importing whygrad, over nothing, in a fresh process (median of 7), and that of the bare interpreter."""

    def run(code: str) -> float:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times.append(time.perf_counter() - began)
        return statistics.median(times)

    bare = run("pass")
    return run("import whygrad") - bare, bare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    for name, make, steps, goal in (("transformer", transformer, 3, 1.25), ("mlp", mlp, 20, 8.0)):
        if args.only in name:
            ratio, base, verdict = compare(make, steps, args.rounds)
            print(
                f"{name}: {ratio:.3f}x a plain step of {base * 1e3:.2f} ms (goal {goal}x); verdict {verdict:.2f} s"
            )
    if args.only in "import":
        own, bare = import_seconds()
        print(f"import: {own * 1e3:.1f} ms over a bare interpreter of {bare * 1e3:.1f} ms (goal 30 ms)")


if __name__ == "__main__":
    main()
