"""What an expression is: an instance of which class, and what the call of a function or method runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whygrad.lint import torch_names
from whygrad.lint.classes import Attribute, ClassInfo
from whygrad.lint.torch_names import Category
from whygrad.lint.values import Value, is_this

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_BASES = 12


@dataclass(frozen=True, eq=False)
class Instance:
    """An object: ``name`` is the full name of its class in torch or another library, or the name of a class of this
    project, which is then ``info`` (in ``home``). ``call`` made it (in ``module``), where that is known."""

    name: str
    category: Category | None
    info: ClassInfo | None = None
    home: Module | None = None
    call: ast.Call | None = None
    module: Module | None = None


def instances(module: Module, node: ast.AST) -> tuple[Instance | None, ...]:
    """See :meth:`Module.instances`."""
    this = is_this(module, node)
    if this is not None:
        return (_of_class(module, this, None, module),)
    origins = module.origins(node)
    found: list[Instance | None] = [] if origins.complete and origins.values else [None]
    for value in origins:
        found += _of_value(value)
    return tuple(found)


def _of_value(value: Value) -> Iterator[Instance | None]:
    node, module = value.node, value.module
    if value.part == "element":
        yield _element(module, node, value.index)
    elif value.part:
        yield None
    elif isinstance(node, ast.Call):
        yield from _of_call(module, node)
    elif isinstance(node, ast.arg):
        yield _annotated(module, node.annotation)
    elif isinstance(node, ast.Constant) and node.value is None:
        return  # not made yet
    else:
        yield None


def _of_call(module: Module, call: ast.Call) -> Iterator[Instance | None]:
    name = module.dotted(call.func)
    if name in torch_names.SAME_MODULE and call.args:
        yield from module.instances(call.args[0])
        return
    category = torch_names.category(name)
    if category is not None:
        yield Instance(name, category, call=call, module=module)
        return
    if isinstance(call.func, ast.Attribute):
        made_by = module.dotted(call.func.value)
        if torch_names.category(made_by) == "module":  # nn.Embedding.from_pretrained(...)
            yield Instance(made_by, "module", call=call, module=module)
            return
        if call.func.attr in torch_names.SAME_OBJECT and not name:
            yield from module.instances(call.func.value)
            return
    found = class_called(module, call)
    if found is not None:
        yield _of_class(*found, call, module)
        return
    returned = module.returned(call)
    if returned is None:
        yield None
        return
    other, expressions = returned
    for expression in expressions:
        yield from other.instances(expression)


def class_called(module: Module, call: ast.Call) -> tuple[Module, ClassInfo] | None:
    """The class of this project that a call makes an object of."""
    return class_named(module, call.func)


def class_named(module: Module, node: ast.expr) -> tuple[Module, ClassInfo] | None:
    """The class of this project that an expression names."""
    if isinstance(node, ast.Attribute):
        other = _file_named(module, node.value)
        if other is not None:
            return next(((other, info) for info in other.classes.values() if info.name == node.attr), None)
    value = module.origins(node).only
    if value is not None and isinstance(value.node, ast.ClassDef) and value.node in value.module.classes:
        return value.module, value.module.classes[value.node]
    return None


def _file_named(module: Module, node: ast.expr) -> Module | None:
    """The file that ``node`` is a name of: after ``import net`` or ``from models import net``."""
    name = module.dotted(node)
    return module.file(name) if name and not name.startswith("torch.") else None


def _of_class(home: Module, info: ClassInfo, call: ast.Call | None, module: Module) -> Instance:
    category: Category | None = "module" if is_module_class(home, info) else None
    if category is None:
        names = (base for base, _ in bases(home, info) if isinstance(base, str))
        base = next(names, "")
        category = "optimizer" if base == "torch.optim.Optimizer" else torch_names.category(base)
    return Instance(info.name, category, info, home, call, module)


def bases(module: Module, info: ClassInfo) -> Iterator[tuple[ClassInfo | str | None, Module]]:
    """The classes that a class derives from, itself excluded: those of this project, others by full name, or None."""
    queue, seen = [(module, info)], {info.node}
    while queue and len(seen) < _BASES:
        where, current = queue.pop(0)
        for base in current.node.bases:
            name = where.dotted(base)
            if name.startswith("torch.") or torch_names.is_module_base(name):
                yield name, where
                continue
            found = class_named(where, base)
            if found is None:
                yield name or None, where
            elif found[1].node not in seen:
                seen.add(found[1].node)
                yield found[1], found[0]
                queue.append(found)


def is_module_class(module: Module, info: ClassInfo) -> bool | None:
    """See :meth:`Module.is_module_class`."""
    unknown = False
    for base, _ in bases(module, info):
        if isinstance(base, str) and torch_names.is_module_base(base):
            return True
        unknown = unknown or base is None or (isinstance(base, str) and "." in base)
    return None if unknown else False


def attribute(module: Module, node: ast.Attribute) -> tuple[Module, list[Attribute]] | None:
    """See :meth:`Module.attribute`."""
    home, info = module, is_this(module, node.value)
    if info is None:
        instance = module.instance(node.value)
        if instance is None or instance.info is None or instance.home is None:
            return None
        home, info = instance.home, instance.info
    if node.attr in info.attributes:
        return home, info.attributes[node.attr]
    for base, where in bases(home, info):
        if isinstance(base, ClassInfo) and node.attr in base.attributes:
            return where, base.attributes[node.attr]
    return None


def method(
    module: Module, info: ClassInfo, name: str
) -> tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """The method that an object of the class runs under that name, if it is one of this project."""
    if name in info.methods:
        return module, info.methods[name]
    for base, where in bases(module, info):
        if isinstance(base, ClassInfo) and name in base.methods:
            return where, base.methods[name]
    return None


def callee(module: Module, call: ast.Call) -> tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """See :meth:`Module.callee`."""
    if isinstance(call.func, ast.Attribute):
        this = is_this(module, call.func.value)
        if this is not None:
            return method(module, this, call.func.attr) or _forward(module, call)
        instance = module.instance(call.func.value)
        if instance is not None and instance.info is not None and instance.home is not None:
            return method(instance.home, instance.info, call.func.attr) or _forward(module, call)
        other = _file_named(module, call.func.value)
        if other is not None:
            functions = (n for n in other.tree.root.body if isinstance(n, ast.FunctionDef))
            return next(((other, n) for n in functions if n.name == call.func.attr), None)
        return _forward(module, call)
    value = module.origins(call.func).only
    if value is not None and isinstance(value.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return value.module, value.node
    return _forward(module, call)


def _forward(module: Module, call: ast.Call) -> tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """The ``forward`` of the module that is called, the ``__call__`` of another object."""
    instance = module.instance(call.func)
    if instance is None or instance.info is None or instance.home is None:
        return None
    return method(instance.home, instance.info, "forward" if instance.category == "module" else "__call__")


def _annotated(module: Module, annotation: ast.expr | None) -> Instance | None:
    if annotation is None:
        return None
    name = module.dotted(annotation)
    if name == "torch.nn.Module":
        return Instance(name, "module")
    if name == "torch.optim.Optimizer":
        return Instance(name, "optimizer")
    category = torch_names.category(name)
    if category is not None:
        return Instance(name, category)
    found = class_named(module, annotation) if isinstance(annotation, ast.Name | ast.Attribute) else None
    return _of_class(*found, None, module) if found is not None else None


def _element(module: Module, node: ast.AST, index: int | None) -> Instance | None:
    """What comes out of iterating: parameters of a module, or the modules of a list of them."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr == "parameters" and index is None:
        return Instance("torch.nn.Parameter", "parameter")
    if node.func.attr == "named_parameters" and index == 1:
        return Instance("torch.nn.Parameter", "parameter")
    listed = {"children": None, "modules": None, "named_children": 1, "named_modules": 1}
    with_torch = any(name.partition(".")[0] == "torch" for name in module.tree.imports.values())
    if listed.get(node.func.attr, -1) == index and not node.args and with_torch:
        return Instance("torch.nn.Module", "module")
    return None
