"""What is read from the source alone: defaults that decide, loops around a place, statements without effect."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from whygrad.observe.defaults import Defaults
from whygrad.observe.frames import Stacks, Trees
from whygrad.observe.loops import Loops
from whygrad.observe.source import bindings, idle_statements, item_assignments, misspelt, unreached_steps


@pytest.fixture
def script(tmp_path: Path):
    """Writes a script; gives its stacks and a function from a piece of text to the line that holds it."""

    def write(text: str):
        path = tmp_path / "train.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        lines = path.read_text(encoding="utf-8").splitlines()
        stacks = Stacks("/nowhere/torch")

        def line(part: str) -> int:
            return next(n for n, code in enumerate(lines, 1) if part in code)

        def stack(*parts: str) -> int:
            return stacks.intern(tuple(stacks.place(str(path), line(p), "f") for p in parts))

        return stacks, line, stack

    return write


CONSTRUCTOR = """
    class Encoder:
        def __init__(self, dim, freeze=True):
            self.net = make(dim)
            if freeze:
                turn_off(self.net)

    class Model:
        def __init__(self, dim, frozen=False, **kwargs):
            self.encoder = Encoder({args})

    model = Model({outer})
"""


@pytest.mark.parametrize(
    ("args", "outer", "decided"),
    [
        ("dim", "4", "freeze=True"),
        ("dim, True", "4", None),
        ("dim, freeze=True", "4", None),
        ("dim, freeze=frozen", "4", "frozen=False"),
        ("dim, freeze=frozen", "4, frozen=True", None),
        ("dim, **kwargs", "4", "freeze=True"),
        ("dim, **kwargs", "4, freeze=True", None),
        ("dim, *rest", "4", None),
    ],
)
def test_a_default_decides_if_no_caller_says_anything(
    script, args: str, outer: str, decided: str | None
) -> None:
    stacks, line, stack = script(CONSTRUCTOR.format(args=args, outer=outer))
    frames = stacks.stacks[stack("turn_off", "self.encoder =", "model =")]
    places = [(code.co_filename, number) for code, number in map(stacks.place_of, frames)]
    found = Defaults(stacks).deciding(places)
    assert (found and found[1]) == (decided and line(decided))


def test_loops_are_counted_beyond_those_around_the_origin(script) -> None:
    stacks, _, stack = script(
        """
        for seed in range(2):
            optimizer = make()
            for epoch in range(3):
                run()
                for batch in data:
                    schedule()
            after()
        """
    )
    loops = Loops(stacks)
    assert loops.beyond(stack("schedule()"), stack("make()")) == 2
    assert loops.beyond(stack("run()"), stack("make()")) == 1
    assert loops.beyond(stack("after()"), stack("make()")) == 0


def test_places_that_take_turns_share_a_loop(script) -> None:
    stacks, _, stack = script(
        """
        def epoch():
            load()
            for batch in data:
                step()

        for _ in range(9):
            epoch()
        before()
        """
    )
    loops = Loops(stacks)
    call = "    epoch()"
    assert loops.shared(stack("load()", call), stack("step()", call))
    assert not loops.shared(stack("load()"), stack("step()"))
    assert not loops.shared(stack("before()"), stack(call))


def tree(text: str) -> ast.Module:
    return ast.parse(textwrap.dedent(text))


def test_bindings_of_an_attribute_and_what_fills_it() -> None:
    text = """
        class Net:
            shared = []
            def __init__(self):
                self.layers = []
                self.layers.append(1)
                self.layers[0] = 2
                self.other = self.layers
            def forward(self, x):
                return self.layers(x)
        """
    assert bindings(tree(text), "Net", "layers") == [5, 6, 7]
    assert bindings(tree(text), "Net", "shared") == [3]
    assert bindings(None, "Net", "layers") == []


def test_statements_without_effect() -> None:
    found = idle_statements(
        tree("p.requires_grad == True\nm.requires_grad_\np.requires_grad = True"), "requires_grad"
    )
    assert [line for line, _ in found] == [1, 2]
    assert misspelt("require_grad")
    assert not misspelt("requires_grad")
    assert not misspelt("retains_grad")


def test_assignments_to_an_item() -> None:
    assert item_assignments(tree('g["lr"] = 1\ng["lr"] *= 2\ng["eps"] = 3\nlr = 4'), "lr") == [1, 2]


def test_steps_that_never_ran_with_the_condition_around_them() -> None:
    text = """
        for x in data:
            loss.backward()
            if step % 4:
                optimizer.step()
            other.step()
        optimizer.step
        """
    found = unreached_steps(tree(text), 3, {"optimizer"})
    assert [(m.line, m.guard, m.text) for m in found] == [(5, 4, "step % 4"), (7, 0, "")]


def test_trees_of_what_can_not_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def", encoding="utf-8")
    trees = Trees()
    assert trees[str(broken)] is None
    assert trees[str(tmp_path / "absent.py")] is None
