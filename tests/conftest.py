"""What all tests share: one thread for torch, and no file of the user's touched."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# Before anything imports torch: the tests already use the cores.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records and caches of a test go to a folder of its own, also in processes that it starts."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.removeprefix("XDG_").lower()))
    monkeypatch.setenv("WHYGRAD_STATE_DIR", str(home / "state" / "whygrad"))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CI", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return home


FAKES = Path(__file__).resolve().parent / "fakes"
SOURCES = FAKES.parent.parent / "src"


class Launch:
    """Starts Pythons in a folder of their own, with a played torch (``fakes/torch``) that costs no time to import."""

    def __init__(self, folder: Path, played: bool = True) -> None:
        self.folder = folder
        self.played = played

    def write(self, files: dict[str, str]) -> None:
        """Files below the folder, dedented."""
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(textwrap.dedent(text), encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a started Python."""
        path = os.pathsep.join(map(str, [SOURCES, FAKES] if self.played else [SOURCES]))
        return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **more}

    def python(self, *args: str, stdin: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """``python ARGS``."""
        return subprocess.run(
            [sys.executable, *args],
            cwd=self.folder,
            env=self.environment(**env),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def bare(
        self, kind: str, name: str, *args: str, stdin: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """The runner alone, watched by nobody (``fakes/bare.py``)."""
        return self.python(str(FAKES / "bare.py"), kind, name, *args, stdin=stdin, **env)

    def whygrad(self, *args: str, stdin: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """The command line; around a session and a diagnosis that are played (``fakes/whygrad_faked.py``) too."""
        start = [str(FAKES / "whygrad_faked.py")] if self.played else ["-m", "whygrad"]
        return self.python(*start, *args, stdin=stdin, **env)


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """Starts Pythons in ``tmp_path``."""
    return Launch(tmp_path)


@pytest.fixture
def torch_launch(tmp_path: Path) -> Launch:
    """The same with the real torch, and nothing played."""
    pytest.importorskip("torch")
    return Launch(tmp_path, played=False)
