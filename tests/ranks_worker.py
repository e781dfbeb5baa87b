"""One rank of several that run scripts, one after the other, each under observation: see ``ranks_runner``.

Reads lines of JSON from its standard input and answers each with one on its standard output."""

from __future__ import annotations

import functools
import gc
import hashlib
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from cases_runner import everything_restored, in_folder

from whygrad.observe.session import Session
from whygrad.running.program import Target, prepare
from whygrad.running.window import WindowClosed
from whygrad.trace import Trace, save


def main() -> None:
    """Answer until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    torch.set_num_threads(1)
    for line in sys.stdin:
        answer = run(json.loads(line))
        gc.collect()  # what a script leaves holds connections to the other ranks
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def run(asked: dict[str, Any]) -> dict[str, str]:
    """Run one script, and leave its record."""
    script, record = Path(asked["script"]), Path(asked["record"])
    os.environ.update(asked["environment"])
    if not asked["observed"]:
        with everything_restored(), in_folder(script.parent):
            program = prepare(Target("script", script.name))
            with ThreadPoolExecutor(1) as thread:
                error = thread.submit(program).exception()
            return {"ended": "end", "error": repr(error) if error else "", "computed": computed()}
    # the record so far, should this process not come to an end
    session = Session(script.name, (), asked["steps"], lambda: None, functools.partial(_keep, record))
    with everything_restored(), in_folder(script.parent):
        program = prepare(Target("script", script.name))
        with ThreadPoolExecutor(1) as thread:
            thread.submit(session.attach).result()
            error = thread.submit(program).exception()
            thread.submit(session.detach).result()
        ended = "steps" if session.closed else "end" if error is None else "raised"
        error = None if isinstance(error, WindowClosed) or session.closed else error
        result = computed()
        save(session.trace(ended, error, int(error is not None), 0.0), record)
    return {"ended": ended, "error": repr(error) if error else "", "computed": result}


def computed() -> str:
    """A checksum of what the script's variables hold, bit for bit, and of the state of random numbers."""
    digest = hashlib.sha256(torch.get_rng_state().numpy().tobytes())
    for name, value in sorted(vars(sys.modules["__main__"]).items()):
        held = value.state_dict() if isinstance(value, torch.nn.Module) else {name: value}
        for key, tensor in held.items():
            if type(tensor) in (torch.Tensor, torch.nn.Parameter):
                digest.update(key.encode())
                digest.update(tensor.detach().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _keep(record: Path, trace: Trace) -> None:
    save(trace, record)


if __name__ == "__main__":
    main()
