"""A script under the runner is told apart from one under Python by nothing that it prints, returns or sees."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Launch

FAKES = Path(__file__).resolve().parent / "fakes"
SOURCES = FAKES.parent.parent / "src"


def same(launch: Launch, kind: str, name: str, *args: str, stdin: str | None = None, **env: str) -> str:
    """Run with and without the runner; everything must come out the same. Its stdout and stderr."""
    option = {"script": [], "module": ["-m"], "code": ["-c"]}[kind]
    plain = launch.python(*option, name, *args, stdin=stdin, **env)
    ours = launch.bare(kind, name, *args, stdin=stdin, **env)
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, plain.returncode)
    return ours.stdout + ours.stderr


SHOW = """
import sys
seen = {k: v for k, v in sorted(globals().items()) if k not in ('__builtins__', '__loader__', '__spec__', 'sys')}
print(seen, type(__builtins__), getattr(__loader__, '__name__', type(__loader__)))
print(__spec__ and (__spec__.name, __spec__.origin), sys.argv, sys.path)
print(sys.modules['__main__'].__dict__ is globals())
print([str(f).split(' at ')[0] for f in sys.meta_path if 'whygrad' not in str(f)])
"""


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("script", "show.py"),
        ("script", "sub/../show.py"),
        ("script", "sub/link.py"),
        ("script", "a folder"),
        ("script", "./packed.zip"),
        ("module", "pkg"),
        ("module", "pkg.mod"),
        ("code", SHOW),
    ],
)
def test_main_is_as_python_makes_it(launch: Launch, kind: str, name: str) -> None:
    import zipfile

    launch.write(dict.fromkeys(["show.py", "a folder/__main__.py", "pkg/__main__.py", "pkg/mod.py"], SHOW))
    launch.write({"pkg/__init__.py": ""})
    (launch.folder / "sub").mkdir()
    (launch.folder / "sub/link.py").symlink_to("../show.py")
    with zipfile.ZipFile(launch.folder / "packed.zip", "w") as archive:
        archive.writestr("__main__.py", SHOW)
    shown = same(launch, kind, name, "--lr", "0.1", "--", "-x", "a b")
    assert "--lr" in shown
    assert "__main__" in shown


def test_a_compiled_script_runs(launch: Launch) -> None:
    import py_compile

    launch.write({"show.py": SHOW})
    py_compile.compile(str(launch.folder / "show.py"), str(launch.folder / "show.pyc"))
    assert "show.pyc" in same(launch, "script", "show.pyc")


def test_isolated_python_does_not_get_the_folder_of_the_script(launch: Launch) -> None:
    launch.write({"show.py": "import sys\nprint(sys.path[0])"})
    start = f"import sys; sys.path[:0] = {[str(SOURCES), *sys.path]!r}\n"
    start += "from whygrad.running.program import Target, prepare\nprepare(Target('script', 'show.py'))()"
    assert launch.python("-I", "-c", start).stdout == f"{SOURCES}\n"


RAISING = {
    "raises": "def f():\n    raise ValueError('no')\nf()",
    "chained": """
        def f():
            try:
                {}['x']
            except KeyError as error:
                raise RuntimeError('chained') from error
        try:
            f()
        except RuntimeError:
            1 / 0
        """,
    "syntax": "def f(:\n    pass",
    "indent": "if True:\npass",
    "exit none": "import sys; print('out'); sys.exit()",
    "exit 3": "import sys; sys.exit(3)",
    "exit -1": "import sys; sys.exit(-1)",
    "exit true": "import sys; sys.exit(True)",
    "exit text": "import sys; print('out'); sys.exit('the reason')",
    "exit tuple": "raise SystemExit((1, 2))",
    "import error": "import there_is_no_such_module",
    "error in an import": "import broken",
    "base exception": "class Stop(BaseException): pass\nraise Stop",
    "recursion": "def f(): f()\ntry:\n    f()\nexcept RecursionError: print('deep')",
    "hook": """
        import sys
        def hook(kind, value, tb):
            print('HOOK', kind.__name__, value, tb.tb_frame.f_code.co_name, tb.tb_next, tb is value.__traceback__)
        sys.excepthook = hook
        raise ValueError(7)
        """,
    "broken hook": """
        import sys
        def hook(kind, value, tb):
            raise KeyError('in the hook')
        sys.excepthook = hook
        raise ValueError(7)
        """,
    "leaving hook": """
        import sys
        sys.excepthook = lambda *args: sys.exit(5)
        raise ValueError(7)
        """,
    "atexit": """
        import atexit, sys, threading
        atexit.register(lambda: print('atexit', sys.last_value, threading.active_count()))
        raise ValueError(7)
        """,
    "future": "from __future__ import annotations\ndef f(x: nowhere): pass\nprint(f.__annotations__)",
    "warning": "import warnings\nwarnings.warn('old', DeprecationWarning)\nprint(__warningregistry__.keys())",
    "source in traceback": "import traceback\ntry:\n    1 / 0  # x\nexcept Exception:\n    traceback.print_exc()",
    "inspect": "import inspect\nclass A:\n    x = 1\nprint(inspect.getsource(A), inspect.getsourcefile(A))",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "no frame of ours in locals": "print(sorted(vars()))",
    "closed stdout": "import sys\nsys.stdout.close()",
    "no stderr": "import sys\nsys.stderr = None\nsys.exit(4)",
}  # fmt: skip


@pytest.mark.parametrize("name", RAISING)
def test_a_script_ends_as_under_python(launch: Launch, name: str) -> None:
    launch.write({"train it.py": RAISING[name], "broken.py": "def g():\n    raise OSError('x')\ng()"})
    shown = same(launch, "script", "train it.py")
    assert "whygrad" not in shown.replace(str(launch.folder), "")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no exception groups yet")
def test_groups_of_exceptions(launch: Launch) -> None:
    body = "try:\n    1 / 0\nexcept Exception as e:\n    raise ExceptionGroup('both', [e, ValueError()])"
    launch.write({"x.py": body})
    assert "both" in same(launch, "script", "x.py")


@pytest.mark.parametrize(
    "code", ["def f():\n    1/0\nf()", "import sys; sys.exit('reason')", "1 +", "print(__file__)"]
)
def test_code_ends_as_under_python(launch: Launch, code: str) -> None:
    same(launch, "code", code, "a")


@pytest.mark.parametrize("name", ["pkg.bad", "pkg.raises", "pkg.leaves"])
def test_a_module_ends_as_under_python(launch: Launch, name: str) -> None:
    bodies = {
        "bad": "def f(:",
        "raises": "def f():\n    raise ValueError\nf()",
        "leaves": "import sys; sys.exit('x')",
    }
    launch.write({f"pkg/{key}.py": body for key, body in bodies.items()} | {"pkg/__init__.py": ""})
    same(launch, "module", name)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "shift-jis"])
def test_sources_in_other_encodings(launch: Launch, encoding: str) -> None:
    text = {"latin-1": "é", "utf-8-sig": "é", "shift-jis": "日本"}[encoding]
    cookie = "" if encoding == "utf-8-sig" else f"# -*- coding: {encoding} -*-\n"
    (launch.folder / "x.py").write_bytes(
        f"{cookie}print(ascii('{text}'))\r\n1 / 0  # {text}\r\n".encode(encoding)
    )
    assert ascii(text) in same(launch, "script", "x.py")


def test_an_undeclared_encoding_is_a_syntax_error(launch: Launch) -> None:
    (launch.folder / "x.py").write_bytes(b"x = '\xe9'\n")
    done = launch.bare("script", "x.py")
    assert done.returncode == 1
    assert "SyntaxError" in done.stderr
    assert "utf-8" in done.stderr.lower()
    assert "Traceback" not in done.stderr


def test_standard_input_reaches_the_script(launch: Launch) -> None:
    launch.write({"x.py": "import sys\nprint(input(), sys.stdin.read())"})
    assert "first second" in same(launch, "script", "x.py", stdin="first\nsecond\n")


def test_threads_are_waited_for_and_atexit_comes_last(launch: Launch) -> None:
    launch.write(
        {
            "x.py": """
            import atexit, threading, time
            from concurrent.futures import ThreadPoolExecutor
            atexit.register(print, 'atexit')
            pool = ThreadPoolExecutor(1)
            pool.submit(lambda: (time.sleep(0.2), print('pool')))
            threading.Thread(target=lambda: (time.sleep(0.4), print('thread'))).start()
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            print('end')
            """
        },
    )
    assert same(launch, "script", "x.py").split() == ["end", "pool", "thread", "atexit"]


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_child_processes_find_main(launch: Launch, method: str) -> None:
    launch.write(
        {
            "x.py": f"""
            import multiprocessing, sys
            class Data:
                pass
            def work(n):
                return n * n, type(Data()).__module__
            if __name__ == '__main__':
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(pool.map(work, range(3)))
            """
        },
    )
    assert "(4, " in same(launch, "script", "x.py")


def test_child_processes_find_a_module(launch: Launch) -> None:
    body = """
        import multiprocessing
        def work(n):
            return n + 1
        if __name__ == '__main__':
            with multiprocessing.get_context('spawn').Pool(1) as pool:
                print(pool.map(work, [1, 2]))
        """
    launch.write({"pkg/__init__.py": "", "pkg/train.py": body})
    assert "[2, 3]" in same(launch, "module", "pkg.train")


def test_an_interrupt_is_shown_as_by_python(launch: Launch) -> None:
    # a shell's background job ignores SIGINT, and so would its children
    script = "import signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    launch.write({"x.py": script + "print('ready', flush=True)\ntime.sleep(60)"})

    def interrupted(*command: str) -> tuple[str, int]:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=launch.folder,
            env=launch.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=30)[1], process.returncode

    plain, ours = interrupted("x.py"), interrupted(str(FAKES / "bare.py"), "script", "x.py")
    assert ours[0] == plain[0]
    assert "KeyboardInterrupt" in ours[0]
    assert (plain[1], ours[1]) == (-signal.SIGINT, 130)


# --- the import of torch -------------------------------------------------------------------------------------------


def bare(launch: Launch, script: str, **env: str) -> subprocess.CompletedProcess[str]:
    launch.write({"x.py": script})
    return launch.bare("script", "x.py", **env)


def test_torch_is_attached_to_when_the_script_imports_it(launch: Launch) -> None:
    done = bare(
        launch,
        """
        import importlib.util, os, sys
        assert 'torch' not in sys.modules
        os.environ['OMP_NUM_THREADS_OF_TEST'] = '7'
        before = len(sys.meta_path)
        assert importlib.util.find_spec('torch') is not None
        print('asked', file=sys.stderr)
        import torch
        print('imported', file=sys.stderr)
        import torch
        assert torch.threads == '7'
        assert 'exec_module' not in vars(torch.__loader__)
        assert type(torch.__spec__.loader).__module__.startswith('_frozen'), torch.__spec__
        assert len(sys.meta_path) == before - 1
        assert not any('whygrad' in type(f).__module__ for f in sys.meta_path)
        """,
    )
    assert done.stderr.split() == ["asked", "attached", "imported"]
    assert done.returncode == 0


def test_a_failing_import_of_torch_is_the_scripts_own(launch: Launch) -> None:
    launch.write({"x.py": "import torch"})
    assert "libtorch.so" in same(launch, "script", "x.py", FAKE_TORCH="broken")


def test_a_missing_torch_is_the_scripts_own(launch: Launch) -> None:
    launch.write(
        {"x.py": "import sys\nsys.path[:] = [p for p in sys.path if 'lib-dynload' in p]\nimport torch"},
    )
    assert "No module named 'torch'" in same(launch, "script", "x.py")


def test_an_import_that_is_tried_again_is_attached_to(launch: Launch) -> None:
    done = bare(
        launch,
        """
        import os, sys
        try:
            import torch
        except OSError:
            del os.environ['FAKE_TORCH']
        import torch
        print('imported', file=sys.stderr)
        """,
        FAKE_TORCH="broken",
    )
    assert done.stderr.split() == ["attached", "imported"]


def test_torch_that_is_already_there_is_attached_to_at_once(launch: Launch) -> None:
    launch.write({"x.py": "print('script')"})
    code = (
        f"import torch, sys; sys.argv = ['', 'script', 'x.py']; exec(open({str(FAKES / 'bare.py')!r}).read())"
    )
    done = launch.python("-c", code)
    assert (done.stderr.split(), done.stdout.split()) == (["attached"], ["script"])
