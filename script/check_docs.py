"""The docs check of ``script/test``: what the pages say must be there, and what they show must be true.

Each check is a generator of problems, one sentence each; its docstring says what it holds.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

ROOT = Path(__file__).resolve().parent.parent
RULE_SECTIONS = (
    "What it means",
    "How to recognise it",
    "Example",
    "Use instead",
    "Not this rule",
    "References",
)
_FENCE = re.compile(r"^(```+|~~~+)(\w*)[^\n]*\n(.*?)^\1", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """Every Markdown page of the project, not those of an environment or a build."""
    others = (".", "build", "dist", "tests", "node_modules")
    return sorted(p for p in ROOT.rglob("*.md") if not p.relative_to(ROOT).parts[0].startswith(others))


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ +(.+?)\s*$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links() -> Iterator[str]:
    """Every relative link leads to a file that is there, and to a heading of it."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(\s*<?([^)>\s]+)", _FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path) if path else page
            if not file.exists():
                yield f"{page.relative_to(ROOT)}: the link {target} leads nowhere."
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                yield f"{page.relative_to(ROOT)}: {target} names no heading of that page."


def check_rule_pages() -> Iterator[str]:
    """Every rule's docstring is its page: first a sentence that says it all, then the sections. A rule of ``lint`` that
    shares its name with one that judges runs leaves the page to that one."""
    package = ROOT / "src/whygrad"
    for file in sorted([*package.glob("rules/*.py"), *package.glob("lint/rules/*.py")]):
        shared = file.parent.parent.name == "lint" and (package / "rules" / file.name).exists()
        if file.name.startswith("_") or shared:
            continue
        page = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        lines = [line.strip(" #*:") for line in page.splitlines()]
        places = [lines.index(s) if s in lines else -1 for s in RULE_SECTIONS]
        missing = [s for s, place in zip(RULE_SECTIONS, places, strict=True) if place < 0]
        where = file.relative_to(ROOT)
        if not lines or not lines[0].endswith("."):
            yield f"{where}: the docstring must begin with one sentence that ends in a full stop."
        if missing:
            yield f"{where}: the docstring lacks the sections {', '.join(missing)}."
        elif places != sorted(places):
            yield f"{where}: the sections must stand in this order: {', '.join(RULE_SECTIONS)}."


def command_options() -> dict[str, set[str]]:
    """The options of every command; those of ``whygrad`` itself under the empty name."""
    module = importlib.import_module("whygrad.cli")
    group = next(v for v in vars(module).values() if isinstance(v, click.Group))
    context = click.Context(group)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}

    def options(command: click.Command) -> set[str]:
        params = [*command.params, command.get_help_option(click.Context(command))]
        return {o for p in params if p is not None for o in (*p.opts, *p.secondary_opts) if o.startswith("-")}

    return {"": options(group)} | {name: options(c) for name, c in commands.items() if c is not None}


def check_options() -> Iterator[str]:
    """Commands that the pages show exist, and so do the options written for them."""
    options = command_options()
    anywhere = set().union(*options.values())
    for page in pages():
        text = page.read_text(encoding="utf-8")
        where = page.relative_to(ROOT)
        blocks = "".join(fence[3] for fence in _FENCE.finditer(text))
        shown = re.findall(r"^(?:\$ )?((?:python -m )?whygrad .*)$", blocks, re.MULTILINE)
        for line in shown + re.findall(r"`((?:python -m )?whygrad [^`\n]+)`", text):
            words = line.removeprefix("python -m ").split()[1:]
            command = "" if words[0].startswith("-") else words[0]
            if command not in options:
                yield f"{where}: there is no command `whygrad {command}`."
                continue
            for word in words:
                # what stands behind the script belongs to the script
                if word.endswith((".py", ".ipynb")) and command == "run":
                    break
                option = word.partition("=")[0]
                if re.fullmatch(r"-{1,2}[a-z][\w-]*", option) and option not in options[command]:
                    yield f"{where}: `whygrad {command}` has no option {option}."
        if page.name == "README.md":
            for option in re.findall(r"`(--[a-z][\w-]*)", text):
                if option not in anywhere:
                    yield f"{where}: no command has the option {option}."


def check_configuration() -> Iterator[str]:
    """The sections ``[tool.whygrad]`` that the pages show are accepted."""
    config = importlib.import_module("whygrad.config")
    for page in pages():
        for block in _FENCE.finditer(page.read_text(encoding="utf-8")):
            if block[2] == "toml" and "[tool.whygrad" in block[3]:
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "pyproject.toml").write_text(block[3], encoding="utf-8")
                    try:
                        config.load(Path(folder))
                    except Exception as error:  # whatever it says about it
                        yield f"{page.relative_to(ROOT)}: {str(error).replace(folder, '')}"


def check_changelog() -> Iterator[str]:
    """The changelog has a section for what is being worked on, or for the present version."""
    version = importlib.import_module("whygrad").__version__
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[?(Unreleased|{re.escape(version)})\b", text, re.MULTILINE | re.IGNORECASE):
        yield f"CHANGELOG.md: there is no section for Unreleased or {version}."


def structs(module_name: str) -> dict[str, type[msgspec.Struct]]:
    """The structs that a module of ours defines and shows."""
    module = importlib.import_module(module_name)
    members = inspect.getmembers(module, lambda m: inspect.isclass(m) and issubclass(m, msgspec.Struct))
    return {
        name: cls
        for name, cls in members
        if f"{cls.__module__}.".startswith(f"{module_name}.") and not name.startswith("_")
    }


def sections(text: str) -> dict[str, str]:
    """The text under each heading, by the first word in code type in it."""
    parts = re.split(r"^#+ .*?`(\w+)`.*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def check_json_page() -> Iterator[str]:
    """``docs/json-report.md`` has a table for each struct of the contract, with its fields and no others."""
    page = sections((ROOT / "docs/json-report.md").read_text(encoding="utf-8"))
    for name, cls in structs("whygrad.finding").items():
        named = set(re.findall(r"^\| `(\w+)` \|", page.get(name, ""), re.MULTILINE))
        fields = set(cls.__struct_fields__) | ({"schema"} if name == "Report" else set())
        for field in sorted(fields - named):
            yield f"docs/json-report.md: the field {name}.{field} is not described."
        for field in sorted(named - fields):
            yield f"docs/json-report.md: {name} has no field {field}."


def check_trace_page() -> Iterator[str]:
    """``docs/trace.md`` names every kind of record, and the present format in its history."""
    text = (ROOT / "docs/trace.md").read_text(encoding="utf-8")
    for name in structs("whygrad.trace"):
        if f"`{name}`" not in text:
            yield f"docs/trace.md: the record {name} is not described."
    current = importlib.import_module("whygrad.trace").FORMAT
    if not re.search(rf"^\| {current} \|", text, re.MULTILINE):
        yield f"docs/trace.md: the history does not have format {current}."


def check_examples() -> Iterator[str]:
    """The ``pycon`` blocks of a page, run one after the other, give the output that stands there."""
    for page in pages():
        text, source = page.read_text(encoding="utf-8"), ""
        for block in (m for m in _FENCE.finditer(text) if m[2] == "pycon"):
            # blank lines keep the line numbers right
            source += "\n" * (text.count("\n", 0, block.start(3)) - source.count("\n")) + block[3]
        name = str(page.relative_to(ROOT))
        test = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
        report: list[str] = []
        doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=report.append)
        yield from report


def main() -> int:
    """Run every check; 1 if any has something to say."""
    checks = [f for name, f in sorted(globals().items()) if name.startswith("check_")]
    problems = 0
    for check in checks:
        try:
            found = list(check())
        except Exception as error:  # one check that cannot be made must not hide the others
            found = [f"{check.__name__} could not be made: {type(error).__name__}: {error}"]
        problems += len(found)
        print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(checks)} checks of {len(pages())} pages, {problems} problems")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main())
