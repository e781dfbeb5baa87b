"""``python -m whygrad.observe.launcher``: torch's own elastic launcher around ranks of whygrad's, in a process of its own.

It is what ``torchrun --standalone`` does, but for two things: how each rank ended is written to a file and not told in a
banner, and it ends with whoever started it (its lifeline, a pipe, is closed then).
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import threading
import uuid
from pathlib import Path

import msgspec
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import elastic_launch
from torch.distributed.run import config_from_args, parse_args

FAILURES = "failures"


def main(folder: Path, count: int, lifeline: int, command: list[str]) -> int:
    """Run ``python -m whygrad COMMAND`` on ``count`` ranks; the exit status says whether all gave 0."""
    logging.disable(logging.ERROR)  # the process that reads the failures tells of them
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()
    # as --standalone does; localhost: a machine's own name may lead nowhere where there is no network
    options = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--rdzv-id", str(uuid.uuid4())]
    options += ["--local-addr", "localhost", "--nproc-per-node", str(count), "-m", "whygrad"]
    config, entry, arguments = config_from_args(parse_args([*options, *command]))
    try:
        elastic_launch(config, entry)(*arguments)
    except ChildFailedError as error:
        codes = {str(rank): failure.exitcode for rank, failure in error.failures.items()}
        (folder / FAILURES).write_bytes(msgspec.json.encode(codes))
        return 1
    except SignalException:
        shutil.rmtree(folder, ignore_errors=True)  # nobody is left to do it
        return 1
    return 0


def _follow(lifeline: int) -> None:
    """End the ranks when the other end of the pipe is closed, however that process ended."""
    while os.read(lifeline, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    where, number, pipe, *rest = sys.argv[1:]
    sys.exit(main(Path(where), int(number), int(pipe), rest))
