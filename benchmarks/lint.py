"""How fast `whygrad lint` is beside TorchFix, on the same tree, in one run; and whether its memory grows with the files.

    python benchmarks/lint.py TREE [--rounds 3] [--files 200] [--torchfix PYTHON]

TREE: any folder of Python files (a checkout of pytorch/examples, site-packages/torch). TorchFix (`pip install torchfix`) is
in this environment, or in that of the interpreter PYTHON. Both check the same copies, one after the other, in alternation, as
their command lines do by default (all processors); of the rounds the median counts. Then whygrad checks 1x and 4x the
files, and the largest resident size of any of its processes is told.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = {"__pycache__", ".git"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--torchfix", default=sys.executable, metavar="PYTHON")
    args = parser.parse_args()
    files = chosen(args.tree, args.files)
    with tempfile.TemporaryDirectory() as name:
        once, four = Path(name, "once"), Path(name, "four")
        copy(files, args.tree, once)
        for index in range(4):
            copy(files, args.tree, four / f"copy{index}")
        size = sum(file.stat().st_size for file in files) / 1e6
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        print(f"{len(files)} files, {size:.1f} MB, {processors} processors, Python {sys.version.split()[0]}")
        speed(once, len(files), args.rounds, args.torchfix)
        memory(once, four, len(files))


def chosen(tree: Path, most: int) -> list[Path]:
    """An even sample of the tree's files."""
    found = sorted(
        p for p in tree.rglob("*.py") if not SKIPPED & set(p.parts) and p.stat().st_size < 1_000_000
    )
    return found[:: max(len(found) // most, 1)][:most]


def copy(files: list[Path], tree: Path, to: Path) -> None:
    for file in files:
        target = to / file.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def speed(tree: Path, count: int, rounds: int, torchfix: str) -> None:
    commands = {
        "whygrad lint": [
            sys.executable,
            "-m",
            "whygrad",
            "lint",
            "--fail-on",
            "never",
            "--output",
            os.devnull,
        ],
        "torchfix": [torchfix, "-m", "torchfix", "--select", "ALL"],
    }
    version = [torchfix, "-m", "torchfix", "--version"]
    if subprocess.run(version, check=False, capture_output=True).returncode:
        del commands["torchfix"]
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run([*command, str(tree)], capture_output=True, check=False)
            seconds[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    for name, value in medians.items():
        print(f"{name:13} {value:7.2f} s  {count / value:7.1f} files/s")
    if "torchfix" in medians:
        ratios = sorted(b / a for a, b in zip(seconds["whygrad lint"], seconds["torchfix"], strict=True))
        print(f"ratio         {statistics.median(ratios):7.1f}x  ({ratios[0]:.1f} to {ratios[-1]:.1f})")


def memory(once: Path, four: Path, count: int) -> None:
    """The largest of the processes, in MB, for the files once and four times."""
    peaks = [peak(tree) for tree in (once, four)]
    print(f"memory        {peaks[0]:.0f} MB for {count} files, {peaks[1]:.0f} MB for {4 * count}")


def peak(tree: Path) -> float:
    """In a process of its own, for the system tells the largest of all children that have ended."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [
        sys.executable,
        "-m",
        "whygrad",
        "lint",
        "--fail-on",
        "never",
        "--output",
        os.devnull,
        str(tree),
    ]
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return int(done.stdout) / unit


if __name__ == "__main__":
    main()
