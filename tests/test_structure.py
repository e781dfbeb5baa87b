"""The directions of the layers (docs/architecture.md), read from the imports and tried in fresh processes."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "whygrad"

#: The only packages that may import torch.
TORCH = ("whygrad.observe", "whygrad.api", "whygrad.monitor", "whygrad.integrations")
#: All that a layer may import of whygrad. A package stands for its modules; layers not named here are free.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "whygrad.trace": ("whygrad.trace",),
    "whygrad.finding": (),
    "whygrad.graph": ("whygrad.trace", "whygrad.finding", "whygrad.graph"),
    "whygrad.rules": ("whygrad.trace", "whygrad.finding", "whygrad.graph"),
}
#: What a layer must not import, though it may import others.
MUST_NOT_IMPORT: dict[str, tuple[str, ...]] = {
    "whygrad.render": ("whygrad.observe", "whygrad.graph", "whygrad.trace"),
    "whygrad.lint": ("whygrad.observe", "whygrad.rules", "whygrad.graph", "whygrad.trace"),
    "whygrad.observe": (
        "whygrad.rules",
        "whygrad.graph",
        "whygrad.diagnose",
        "whygrad.render",
        "whygrad.commands",
    ),
    "whygrad.diagnose": ("whygrad.observe", "whygrad.render", "whygrad.commands"),
}


@dataclass(frozen=True)
class Import:
    """``importer`` imports ``target``, a full name; ``typing``: only for the type checker."""

    importer: str
    target: str
    line: int
    typing: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


def module_name(file: Path) -> str:
    """The name under which Python imports a file of src/."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def imports_of(name: str) -> Iterator[Import]:
    """Every import in a module, also inside functions; of ``p.m`` for ``from p import m`` if that is a module."""
    file = MODULES[name]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        typing = id(node) in for_typing
        if isinstance(node, ast.Import):
            yield from (Import(name, alias.name, node.lineno, typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = name.split(".")
            if node.level:
                is_package = file.name == "__init__.py"
                base = base[: len(base) - node.level + is_package]
                source = ".".join([*base, node.module] if node.module else base)
            else:
                source = node.module or ""
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield Import(name, inner if inner in MODULES else source, node.lineno, typing)


IMPORTS = [found for name in MODULES for found in imports_of(name)]


def within(name: str, packages: tuple[str, ...]) -> bool:
    """Whether a module is one of ``packages``, or lies in one of them."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_modules_and_imports_are_found() -> None:
    """Guards the other tests: they would all pass on nothing."""
    assert {"whygrad", "whygrad.trace", "whygrad.finding"} <= MODULES.keys()
    assert {"msgspec", "gzip", "pathlib"} <= {i.target for i in IMPORTS if i.importer == "whygrad.trace"}


def test_torch_is_imported_by_the_observing_layers_only() -> None:
    wrong = [str(i) for i in IMPORTS if within(i.target, ("torch",)) and not within(i.importer, TORCH)]
    assert not wrong


def test_layers_import_only_what_lies_below_them() -> None:
    wrong = []
    for i in IMPORTS:
        if not within(i.target, ("whygrad",)):
            continue
        for name, may in MAY_IMPORT.items():
            if within(i.importer, (name,)) and not within(i.target, may):
                wrong.append(str(i))
        for name, must_not in MUST_NOT_IMPORT.items():
            if within(i.importer, (name,)) and within(i.target, must_not):
                wrong.append(str(i))
    assert not wrong


def test_rules_and_graph_import_nothing_from_outside_but_the_standard_library() -> None:
    pure = [i for i in IMPORTS if within(i.importer, ("whygrad.rules", "whygrad.graph"))]
    outside = [i for i in pure if i.target.split(".")[0] not in {"whygrad", *sys.stdlib_module_names}]
    assert not [str(i) for i in outside]


def test_no_cycle_among_the_modules() -> None:
    edges: dict[str, set[str]] = {name: set() for name in MODULES}
    for i in IMPORTS:
        if i.target in MODULES and not i.typing:
            edges[i.importer].add(i.target)
    free: set[str] = set()
    while ready := {name for name in edges.keys() - free if edges[name] <= free}:
        free |= ready
    assert free == edges.keys(), f"these are in a cycle, or import one: {sorted(edges.keys() - free)}"


@pytest.mark.parametrize("name", [n for n in MODULES if n.startswith("whygrad.rules.")] or [None])
def test_every_rule_has_its_page_and_its_check(name: str | None) -> None:
    if name is None:
        pytest.skip("there are no rules yet")
    if name.rpartition(".")[2].startswith("_"):
        pytest.skip("not a rule")
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    checks = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "check"]
    assert ast.get_docstring(tree), "its docstring is its documentation page"
    assert len(checks) == 1
    assert len(checks[0].args.args) == 1


def fresh(code: str) -> object:
    """What ``code`` prints, as JSON, in a fresh interpreter."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n{code}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_whygrad_imports_nothing_else() -> None:
    """Measured against an interpreter that has already imported what laziness and annotations need."""
    new = fresh(
        "import json, importlib, typing, __future__\n"
        "before = set(sys.modules)\n"
        "import whygrad\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    assert new == ["whygrad"]


def test_public_names_are_looked_up_when_used() -> None:
    names = fresh(
        "import json, whygrad\n"
        "first = 'msgspec' in sys.modules\n"
        "listed = set(whygrad.__all__) <= set(dir(whygrad))\n"
        "found = [getattr(whygrad, name) is not None for name in whygrad.__all__]\n"
        "print(json.dumps([first, 'msgspec' in sys.modules, len(found), listed]))"
    )
    assert isinstance(names, list)
    assert names[:2] == [False, True]
    assert names[2] > 5
    assert names[3] is True


def test_all_but_the_observing_layers_work_without_torch() -> None:
    """Imports every module with torch made impossible, and the session, which waits for the script's."""
    without = [n for n in MODULES if not within(n, TORCH) and n != "whygrad.__main__"]
    without += [n for n in ("whygrad.observe", "whygrad.observe.session") if n in MODULES]
    failed = fresh(
        "import json, importlib\n"
        "sys.modules['torch'] = None\n"
        "failed = {}\n"
        f"for name in {without!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ImportError as error:\n"
        "        failed[name] = str(error)\n"
        "print(json.dumps(failed))"
    )
    assert failed == {}


def test_the_command_line_does_not_import_torch() -> None:
    if "whygrad.cli" not in MODULES:
        pytest.skip("there is no command line yet")
    assert fresh("import json, whygrad.cli\nprint(json.dumps('torch' in sys.modules))") is False


def test_a_mended_example_differs_from_its_bug_by_a_line_or_two() -> None:
    """The twins are long and must not drift apart."""
    twins = [
        (file.with_name(file.name.replace("_fixed", "")), file) for file in ROOT.glob("examples/*_fixed.py")
    ]
    assert twins
    for bug, fixed in twins:
        lines, others = (f.read_text(encoding="utf-8").splitlines() for f in (bug, fixed))
        changed = sum(line not in others for line in lines) + sum(line not in lines for line in others)
        assert 1 <= changed <= 4, f"{bug.name} and {fixed.name} differ in {changed} lines"
