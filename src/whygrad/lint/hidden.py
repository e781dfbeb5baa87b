"""Layers that a module keeps where ``parameters()`` does not look for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.classes import Attribute, ClassInfo, assigned
from whygrad.lint.flow import chain
from whygrad.lint.held import NOT_TRAINED
from whygrad.lint.holders import layers_of, made_here, outer_names
from whygrad.lint.module import Module
from whygrad.lint.parametric import elements, has_parameters

#: Functions that only look at a list.
LOOKING = frozenset({"len", "zip", "enumerate", "range", "reversed", "print", "isinstance", "sum"})
_HOLDERS = frozenset({"functools.partial", "types.SimpleNamespace"})


@dataclass(frozen=True)
class Hiding:
    """``kind``: ``list``, ``tuple``, ``dict``, ``object``, ``function`` or ``class`` (an attribute of the class). ``made``:
    the layers. ``flat``: they are modules or Parameters, one beside the other; ``later``: some are put in afterwards."""

    kind: str
    made: tuple[ast.AST, ...]
    flat: bool = False
    later: bool = False
    only_parameters: bool = False
    name: str = ""


def hidings(module: Module, info: ClassInfo, attribute: Attribute) -> Hiding | None:
    """How an attribute hides layers that have parameters; None if it does not, or not surely."""
    value = attribute.value
    if value is None or NOT_TRAINED.search(attribute.name.lower()):
        return None
    if attribute.method is None:
        made = has_parameters(module.instance(value)) and isinstance(value, ast.Call)
        return Hiding("class", (value,)) if made else None
    if isinstance(value, ast.Lambda):
        held = [d for name in outer_names(module, value) for d in made_here(module, info, name)]
        return Hiding("function", tuple(held)) if held else None
    if isinstance(value, ast.Call) and module.dotted(value.func) in _HOLDERS:
        parts = [*value.args, *(k.value for k in value.keywords)]
        held = [
            part for part in parts if isinstance(part, ast.Call) and has_parameters(module.instance(part))
        ]
        kind = "function" if module.dotted(value.func) == "functools.partial" else "list"
        return Hiding(kind if kind == "function" else "namespace", tuple(held)) if held else None
    if isinstance(value, ast.Call):
        instance = module.instance(value)
        if instance is not None and instance.call is value and instance.info is not None:
            layers = list(layers_of(instance))
            return Hiding("object", tuple(layers), name=instance.name) if layers else None
    return _collection(module, info, attribute.name, value)


def _collection(module: Module, info: ClassInfo, name: str, value: ast.expr) -> Hiding | None:
    """A display or comprehension, in place, under a local name or from a function of the project, and what is added."""
    origin = module.origins(value).only
    if origin is None or origin.part or (isinstance(value, ast.Name) and _given_on(module, value)):
        return None
    node, home = _poured(origin.node), origin.module
    if isinstance(node, ast.Call):
        returned = home.returned(node)
        if returned is None or len(returned[1]) != 1:
            return None
        home, (node, *_) = returned
        only = home.origins(node).only
        if only is None or only.part:
            return None
        node, home = only.node, only.module
        if _local(home, node):  # what else its function does with the list is not looked at
            return None
    if not isinstance(
        node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.ListComp | ast.DictComp | ast.GeneratorExp
    ):
        return None
    inside = elements(node)
    later = list(_added(module, info, name))
    if home is module and isinstance(node, ast.List):
        later += [part for part in home.put_into(node) if part not in later]
    parts = [(home, part) for part in inside] + [(module, part) for part in later]
    made = [part for where, part in parts if _fresh(where, part) and has_parameters(where.instance(part))]
    if not made:
        return None
    top = (
        [node.elt]
        if isinstance(node, ast.ListComp | ast.GeneratorExp)
        else [node.value]
        if isinstance(node, ast.DictComp)
        else inside
    )
    kinds = {where.category(part) for where, part in parts}
    if None in kinds and all(where.category(part) != "module" for where, part in parts):
        return None  # Parameters beside plain tensors: not meant to be trained as they are
    poured = isinstance(origin.node, ast.Call) and getattr(origin.node.func, "id", "") == "tuple"
    return Hiding(
        "tuple"
        if poured
        else {ast.Dict: "dict", ast.DictComp: "dict", ast.Tuple: "tuple", ast.Set: "set"}.get(
            type(node), "list"
        ),
        tuple(made),
        flat=(kinds in ({"module"}, {"parameter"})) and elements(node) == _shallow(node, top),
        later=bool(later),
        only_parameters=kinds == {"parameter"},
    )


def _poured(node: ast.AST) -> ast.AST:
    """What ``list(...)`` or ``tuple(...)`` is filled from, where that is written out in it."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "tuple")
        and len(node.args) == 1
        and isinstance(node.args[0], ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp)
    ):
        return node.args[0]
    return node


def _shallow(node: ast.AST, top: list[ast.expr]) -> list[ast.expr]:
    if isinstance(node, ast.Dict):
        return list(node.values)
    return list(node.elts) if isinstance(node, ast.List | ast.Tuple | ast.Set) else top


def _local(module: Module, node: ast.AST) -> bool:
    return isinstance(module.tree.statement(node), ast.Assign)


def _fresh(module: Module, part: ast.expr) -> bool:
    """Whether a part is made for this collection, and kept nowhere else."""
    if isinstance(part, ast.Name):
        found = module.definitions(part) or ()
        return all(d.how == "value" for d in found) and not _given_on(module, part)
    made = module.instance(part)
    return made is not None and made.call is not None and made.call in ast.walk(part)


def _given_on(module: Module, name: ast.Name) -> bool:
    """Whether a local name is also kept in an attribute, put into a container or given to something else."""
    scope = module.tree.scope(name)
    for use in module.nodes(ast.Name):
        if (
            use.id != name.id
            or use is name
            or module.tree.scope(use) is not scope
            or isinstance(use.ctx, ast.Store)
        ):
            continue
        around = module.tree.parent(use)
        if isinstance(around, ast.Attribute | ast.For | ast.Subscript):
            continue
        if isinstance(around, ast.Call) and getattr(around.func, "attr", "") in ("append", "insert"):
            continue
        if isinstance(around, ast.Call) and (use is around.func or getattr(around.func, "id", "") in LOOKING):
            continue
        return True
    return False


def _added(module: Module, info: ClassInfo, name: str) -> Iterator[ast.expr]:
    """What methods of the class put into the collection afterwards."""
    for node in ast.walk(info.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if chain(node.func.value) == f"self.{name}" and node.func.attr in (
                "append",
                "insert",
                "add",
                "extend",
            ):
                yield from elements(node.args[-1])
        elif isinstance(node, ast.Assign):
            for target, value in assigned(node):
                if (
                    isinstance(target, ast.Subscript)
                    and chain(target.value) == f"self.{name}"
                    and value is not None
                ):
                    yield from elements(value)
