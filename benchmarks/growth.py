"""Whether the record and the time grow linearly with the operations of a step and with the parameters.

Usage: python benchmarks/growth.py

For 100 to 10,000 operations a step, and for 10 to 10,000 parameters, 10 steps are observed; printed are bytes of the
saved record and seconds of observing and judging, each for one operation (one parameter): flat columns mean linear.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from whygrad.diagnose import diagnose
from whygrad.observe.observation import Observation
from whygrad.render import renderer
from whygrad.trace import save

STEPS = 10


def operations(count: int) -> Callable[[], None]:
    """A step of about ``count`` operations on one small weight."""
    weight = nn.Parameter(torch.randn(8))
    optimizer = torch.optim.SGD([weight], lr=1e-3)

    def step() -> None:
        value = weight
        for _ in range(count):
            value = value * 0.999
        optimizer.zero_grad()
        value.sum().backward()
        optimizer.step()

    return step


def parameters(count: int) -> Callable[[], None]:
    """A step over ``count`` parameters, each used once."""
    model = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(count)])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        torch.stack(list(model)).sin().sum().backward()
        optimizer.step()

    return step


def transformer(layers: int) -> Callable[[], None]:
    """A step of a narrow transformer of ``layers`` layers."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(2, 8, 32)

    def step() -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return step


def measure(make: Callable[[int], Callable[[], None]], count: int) -> tuple[float, float, float, int]:
    """Seconds of plain and observed steps, seconds to the verdict, and the size of the record in bytes."""
    step = make(count)
    began = time.perf_counter()
    for _ in range(STEPS):
        step()
    plain = time.perf_counter() - began
    watching = Observation(10_000, lambda: None, lambda: None, lambda done: None)
    watching.install()
    try:
        step = make(count)
        began = time.perf_counter()
        for _ in range(STEPS):
            step()
        observed = time.perf_counter() - began
        began = time.perf_counter()
    finally:
        watching.remove()
    trace = watching.trace("benchmark", (), "end", None, 0, 0.0)
    renderer("terminal")(diagnose(trace))
    verdict = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        save(trace, path)
        return plain, observed, verdict, path.stat().st_size


def main() -> None:
    torch.set_num_threads(1)
    for name, make, counts in (
        ("operations", operations, (100, 1_000, 10_000)),
        ("parameters", parameters, (10, 100, 1_000, 10_000)),
        ("layers", transformer, (10, 100)),
    ):
        print(f"{name:>10}       MiB  bytes each  us each a step  plain us  verdict s   (over {STEPS} steps)")
        for count in counts:
            plain, observed, verdict, size = measure(make, count)
            each = 1e6 / (count * STEPS)
            print(
                f"{count:>10}  {size / 2**20:8.2f}  {size / count:10.0f}  {observed * each:14.1f}  {plain * each:8.1f}  {verdict:9.2f}"
            )


if __name__ == "__main__":
    main()
