"""What the monitor costs: seconds of a training step under it over seconds of a plain one, beside other ways to watch.

Usage: python benchmarks/monitor.py [--seconds S] [--steps N] [--only NAME] [--variants PART] [--threads N] [--kill]

All variants of a model live in one process, each with its own copy of the model and the optimizer, and take their steps in turn,
in an order that is drawn anew for every round: a noisy machine hits all alike. The slower a rival is, the fewer rounds it
takes part in; with all three models a run takes less than nine minutes. What is printed is the median, over the rounds,
of a variant's step over the plain step of the same round; the range is the 95 % interval of that median (bootstrap). What
measures only now and then (the monitor at its default) is judged by the mean as well, less the rounds that the machine
spoilt, because its median step is one in which nothing is measured. Processor time, of all threads, hardly depends on what else
the machine does.

Beside it, where installed: ``wandb.watch(log="all")`` offline with its default ``log_freq`` and with 1, TensorBoard histograms of every
parameter and gradient each step, a hook with ``.item()`` on every parameter, and ``torch.autograd.detect_anomaly``.

``--kill``: kill a writing process 50 times at random moments, and look at what its store holds.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import whygrad
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Row, Track
from whygrad.monitor.store import Batch, Meta, Writer

Step = Callable[[], Any]
Times = dict[str, dict[int, float]]  #: by variant and number of the round
Made = tuple[nn.Module, torch.optim.Optimizer, Step]


def transformer() -> Made:
    """4 layers, d = 256, batch 16 x 128 tokens, AdamW: 3.7 million parameters."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    model = nn.Sequential(nn.Embedding(1000, 256), body, nn.Linear(256, 1000))
    tokens = torch.randint(0, 1000, (16, 128))
    return _made(model, lambda: nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()))


def convnet() -> Made:
    """6 convolutions with BatchNorm, 64 to 256 channels, batch 16 of 32 x 32, AdamW: 1.5 million parameters."""
    layers: list[nn.Module] = []
    channels = 3
    for width, stride in ((64, 1), (64, 2), (128, 1), (128, 2), (256, 1), (256, 2)):
        layers += [nn.Conv2d(channels, width, 3, stride, 1), nn.BatchNorm2d(width), nn.ReLU()]
        channels = width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))
    x, y = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
    return _made(model, lambda: nn.functional.cross_entropy(model(x), y))


def mlp() -> Made:
    """A tiny MLP of 2 layers: here Python is everything."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    x, y = torch.randn(32, 16), torch.randint(0, 4, (32,))
    return _made(model, lambda: nn.functional.cross_entropy(model(x), y))


def _made(model: nn.Module, loss: Callable[[], torch.Tensor]) -> Made:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        return value

    return model, optimizer, step


def plain(made: Made, folder: Path) -> Step:
    return made[2]


def monitored(every: int | None) -> Callable[[Made, Path], Step]:
    def variant(made: Made, folder: Path) -> Step:
        model, optimizer, step = made
        watch = whygrad.watch(
            model, optimizer, every=every, record=folder / f"{every}.whygrad", on_alarm=None
        )

        def watched() -> None:
            watch.step(step())

        watched.watch = watch  # type: ignore[attr-defined]
        return watched

    return variant


def with_wandb(frequency: int) -> Callable[[Made, Path], Step]:
    def variant(made: Made, folder: Path) -> Step:
        import wandb  # noqa: PLC0415  (optional)

        model, _, step = made
        run = wandb.run or wandb.init(mode="offline", dir=folder, project="benchmark")
        run.watch(model, log="all", log_freq=frequency, idx=frequency)

        def watched() -> None:
            run.log({"loss": step().item()})

        return watched

    return variant


def with_tensorboard(made: Made, folder: Path) -> Step:
    from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415  (optional)

    model, _, step = made
    writer = SummaryWriter(str(folder / "tensorboard"))
    count = 0

    def watched() -> None:
        nonlocal count
        count += 1
        writer.add_scalar("loss", step().item(), count)
        for name, p in model.named_parameters():
            writer.add_histogram(name, p, count)
            writer.add_histogram(f"{name}.grad", p.grad, count)

    return watched


def with_item_hooks(made: Made, folder: Path) -> Step:
    model, _, step = made
    norms: dict[str, float] = {}
    for name, p in model.named_parameters():
        p.register_hook(lambda gradient, name=name: norms.__setitem__(name, gradient.norm().item()))
    return step


def with_anomaly_mode(made: Made, folder: Path) -> Step:
    def watched() -> None:
        with torch.autograd.set_detect_anomaly(True):
            made[2]()

    return watched


VARIANTS: dict[str, Callable[[Made, Path], Step]] = {
    "plain": plain,
    "whygrad, default": monitored(None),
    "whygrad, every step": monitored(1),
    "a hook with .item() per parameter": with_item_hooks,
    "anomaly mode": with_anomaly_mode,
    "wandb.watch(log='all'), default": with_wandb(1000),
    "wandb.watch(log='all'), every step": with_wandb(1),
    "TensorBoard histograms, every step": with_tensorboard,
}


def compare(
    make: Callable[[], Made], rounds: int, limit: float, folder: Path, only: str = ""
) -> tuple[Times, Times]:
    """Seconds of every step of every variant, by the number of the round: on the clock, and of processor time (all threads).

    A step of the plain training and of whygrad's in every round, of the others in so many that all of them together take
    about as long; never more than ``limit`` seconds."""
    steps: dict[str, Step] = {}
    for name, variant in VARIANTS.items():
        torch.manual_seed(0)
        if only not in name and name != "plain":
            continue
        try:
            steps[name] = variant(make(), folder)
        except ImportError as error:
            print(f"  (skipped: {name}: {error})")
    seconds: Times = {name: {} for name in steps}
    processor: Times = {name: {} for name in steps}
    ended: dict[str, float] = {}
    watches = {name: step.watch for name, step in steps.items() if hasattr(step, "watch")}
    begin = time.monotonic()
    for n in range(rounds + _WARM):
        if n > _WARM and time.monotonic() - begin > limit:
            break
        order = [name for name in steps if n < _WARM or n % _apart(name, seconds) == 0]
        random.shuffle(order)
        for name in order:
            if (
                name in watches
            ):  # its cadence goes by the time between its own steps, in which others take theirs here
                watches[name]._cadence.other(time.perf_counter() - ended.get(name, time.perf_counter()))
            began, busy = time.perf_counter(), time.process_time()
            steps[name]()
            ended[name] = time.perf_counter()
            if n:  # the very first step is another thing
                seconds[name][n] = ended[name] - began
                processor[name][n] = time.process_time() - busy
    for watch in watches.values():
        watch.close()
        print(f"  (every {watch.every} steps, {watch.steps} steps, problems: {list(watch.problems)})")
    return tuple(
        {name: {n: s for n, s in own.items() if n >= _WARM} for name, own in t.items()}
        for t in (seconds, processor)
    )  # type: ignore[return-value]


_WARM = 3  #: rounds that only tell how long a variant takes


def _apart(name: str, seconds: Times) -> int:
    """Every how many rounds a variant takes a step: the slower, the fewer."""
    if name.startswith(("plain", "whygrad")):
        return 1
    taken = statistics.median(seconds[name].values()) / statistics.median(seconds["plain"].values())
    return max(3, round(2 * taken))


def ratio(own: dict[int, float], base: dict[int, float]) -> tuple[float, float, float, float]:
    """Median of the ratios of the same round with its 95 % interval, and the ratio of the means without the worst tenth of
    the rounds."""
    both = sorted(own.keys() & base.keys(), key=lambda n: own[n] + base[n])
    pairs = [own[n] / base[n] for n in both]
    draws = sorted(statistics.median(random.choices(pairs, k=len(pairs))) for _ in range(400))
    kept = both[: max(1, len(both) * 9 // 10)]
    mean = sum(own[n] for n in kept) / sum(base[n] for n in kept)
    return statistics.median(pairs), draws[10], draws[-11], mean


def memory(make: Callable[[], Made]) -> tuple[int, int]:
    """Bytes of the parameters, and of all tensors that the monitor holds on to while it measures every step."""
    model, optimizer, step = make()
    with whygrad.watch(model, optimizer, every=1, record=False, on_alarm=None) as watch:
        for _ in range(20):
            step()
        held = 0
        for seen in watch._hooks._seen.values():
            for part in seen.plan.parts if seen.plan is not None else ():
                own = [part.ring, part._buffers, *part._units.values()]
                held += sum(t.nbytes for t in own)
    return sum(p.nbytes for p in model.parameters()), held


def write_for_ever(path: Path, told: Path) -> None:
    """Write batches of 10 rows of 50 parameters; after each one, a byte more in ``told``."""
    writer = Writer(path)
    track = Track(
        0, "SGD", tuple(f"layer.{i}.weight" for i in range(50)), ((4,),) * 50, ("float32",) * 50, (0,) * 50
    )
    meta, step = Meta("kill"), 0
    with told.open("ab", buffering=0) as file:
        while True:
            rows = [Row(0, step + n, 0.0, [float(step + n)] * 50) for n in range(1, 11)]
            step = meta.step = step + 10
            writer.write(Batch(meta, [track], rows))
            file.write(b".")


def kill(times: int = 50) -> None:
    """Kill a process that writes rows, at random moments; its store must open and hold all but the last batch."""
    lost = []
    with tempfile.TemporaryDirectory() as name:
        for n in range(times):
            path, told = Path(name) / f"{n}.whygrad", Path(name) / f"{n}.told"
            child = os.fork()
            if child == 0:
                try:
                    write_for_ever(path, told)
                finally:
                    os._exit(1)
            while not told.exists():
                time.sleep(0.001)  # until the store is made
            time.sleep(random.uniform(0.0, 0.15))
            os.kill(child, 9)
            os.waitpid(child, 0)
            written = told.stat().st_size
            reader = Reader(path)
            rows = reader.rows(0)
            assert [row.step for row in rows] == list(range(1, len(rows) + 1)), "rows are missing"
            assert len(rows) >= 10 * written, (
                f"{written} batches of 10 were written, {len(rows)} rows are there"
            )
            lost.append(len(rows) - 10 * written)
            reader.close()
    print(
        f"killed {times} times: every store opened and held each batch that had been written (rows more: {sorted(set(lost))})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=0, help="rounds for each model (default: by its size)")
    parser.add_argument("--seconds", type=float, default=150.0, help="for each model, at most")
    parser.add_argument("--only", default="")
    parser.add_argument("--variants", default="", help="a part of the names of those that are compared")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    args = parser.parse_args()
    if args.kill:
        kill()
        return
    torch.set_num_threads(args.threads)
    os.environ.setdefault("WANDB_SILENT", "true")
    for make, rounds in ((transformer, 600), (convnet, 1200), (mlp, 10_000)):
        if args.only not in make.__name__:
            continue
        print(f"{make.__name__}: {make.__doc__}")
        with tempfile.TemporaryDirectory() as folder:
            seconds, processor = compare(
                make, args.steps or rounds, args.seconds, Path(folder), args.variants
            )
        base, busy = seconds.pop("plain"), processor.pop("plain")
        print(f"  plain step: {statistics.median(base.values()) * 1e3:.2f} ms, {len(base)} rounds")
        if "wandb" in sys.modules:
            sys.modules["wandb"].finish()
        for name, own in seconds.items():
            middle, low, high, mean = ratio(own, base)
            cpu, _, _, cpu_mean = ratio(processor[name], busy)
            print(
                f"  {name:36} {len(own):5} steps {middle:7.3f} ({low:.3f} to {high:.3f}), mean {mean:.3f}; "
                f"processor time {cpu:.3f}, mean {cpu_mean:.3f}"
            )
        parameters, held = memory(make)
        print(f"  memory: {parameters / 2**20:.2f} MB of parameters, the monitor holds {held / 2**20:.2f} MB")


if __name__ == "__main__":
    main()
