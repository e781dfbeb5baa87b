"""The static half of ``whygrad.rules.optimizer_holds_stale_parameter``, which has the page.

``model.half()``, ``model.to(dtype)`` and ``model.cuda()`` after the optimizer are harmless: they change the data of the
same Parameters (torch 2.6 to 2.13)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.held import Held
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.parametric import has_parameters
from whygrad.lint.replacing import block, replaced
from whygrad.lint.scopes import Definition
from whygrad.lint.steps import moved_line
from whygrad.lint.training import Loop


def check(module: Module) -> Iterator[Hit]:
    """A model, or a layer of it, that is replaced between the making of its optimizer and the training."""
    told: set[ast.AST] = set()
    for one in module.held:
        if one.name and not _kept_up(module):
            for loop in module.loops():
                for hit in (*_whole(module, one, loop), *_part(module, one, loop)):
                    if hit.node not in told:
                        told.add(hit.node)
                        yield hit


def _kept_up(module: Module) -> bool:
    """Whether the optimizer may be told of new parameters."""
    names = {use.attr for use in module.nodes(ast.Attribute)}
    return bool(names & {"add_param_group", "param_groups"})


def _steps(module: Module, one: Held, loop: Loop) -> bool:
    """Whether surely that optimizer steps in the loop."""
    for event in loop.of("step", "scaler_step"):
        subject = event.subject
        origin = event.module.origins(subject).only if subject is not None else None
        if origin is not None and origin.node is one.optimizer:
            return True
    return False


def _whole(module: Module, one: Held, loop: Loop) -> Iterator[Hit]:
    """``model = build()`` again: the loop runs another model than the optimizer was given."""
    if not isinstance(one.owner, ast.Name) or not _steps(module, one, loop):
        return
    given = module.definitions(one.owner) or ()
    for use in _models_called(module, loop):
        if use.id != one.owner.id:
            continue
        here = module.definitions(use) or ()
        if not here or not given or set(here) & set(given):
            continue
        if all(_new(module, d) for d in (*here, *given)):
            yield Hit(
                one.optimizer,
                f"{use.id} is made anew after this optimizer was built: it goes on updating the parameters of the old one",
                f"Build the optimizer after {use.id} has got its last value.",
                link=8,
                role="optimizer",
                also=((here[0].node, "replaced"),),
            )
            return


def _new(module: Module, definition: Definition) -> bool:
    """Whether a definition makes a new model: by calling its class, by a function that does, or from a file."""
    value = definition.value
    if definition.how != "value" or not isinstance(value, ast.Call):
        return False
    if module.dotted(value.func) in ("torch.load", "copy.deepcopy"):
        return True
    found = module.instance(value)
    if found is None or found.category != "module" or found.call is None:
        return False
    called = module.callee(value) if found.call is not value else None
    return found.call is value or (called is not None and found.call in ast.walk(called[1]))


def _models_called(module: Module, loop: Loop) -> Iterator[ast.Name]:
    for node in ast.walk(loop.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func


def _part(module: Module, one: Held, loop: Loop) -> Iterator[Hit]:
    """``model.fc = nn.Linear(...)`` between the optimizer and the loop, in their block."""
    optimizer = module.tree.statement(one.optimizer)
    body = block(module, optimizer)
    top: ast.AST = loop.node
    while body and top not in body and module.tree.parent(top) is not None:
        top = module.tree.parent(top) or top
    if not body or top not in body or not _steps(module, one, loop) or top is optimizer:
        return
    between = body[body.index(optimizer) + 1 : body.index(top)] if isinstance(top, ast.stmt) else []
    for statement in between:
        for target, value, where in replaced(module, statement, one.name):
            if has_parameters(where.instance(value)) and not _rebuilt(module, between, statement, one):
                yield Hit(
                    statement,
                    f"{where.source.segment(target)} is replaced after the optimizer was built: the new layer is not in it",
                    f"Build the optimizer after {one.name} has all of its layers.",
                    link=8,
                    role="replaced",
                    also=((one.optimizer, "optimizer"),),
                    edits=_later(module, optimizer, between, statement),
                )
                break


def _later(module: Module, optimizer: ast.stmt, between: list[ast.stmt], statement: ast.stmt) -> Fix | None:
    """The optimizer built behind the statement, where nothing uses it in between."""
    if not isinstance(optimizer, ast.Assign) or not isinstance(optimizer.targets[0], ast.Name):
        return None
    name = optimizer.targets[0].id
    used = [n for s in between for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
    fix = moved_line(module, optimizer, statement, behind=True) if not used else None
    return Fix(fix.edits, safe=False) if fix is not None else None


def _rebuilt(module: Module, between: list[ast.stmt], statement: ast.stmt, one: Held) -> bool:
    """Whether another optimizer is built later on."""
    later = between[between.index(statement) :]
    return any(
        other.name == one.name and module.tree.statement(other.optimizer) in later for other in module.held
    )
