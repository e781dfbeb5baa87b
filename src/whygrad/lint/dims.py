"""How many dimensions a tensor has, where the source tells."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whygrad.lint.values import Value

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_MAKING = frozenset("torch." + name for name in ("randn", "rand", "zeros", "ones", "empty"))
_SAME = frozenset(
    {"float", "double", "long", "to", "cuda", "cpu", "clone", "detach", "abs", "exp", "log", "sigmoid", "tanh", "relu", "square",
     "sqrt", "contiguous", "roll", "flip", "sin", "cos", "clamp", "pow", "neg", "split", "cumsum"}
)  # fmt: skip
_REDUCING = frozenset(
    {"sum", "mean", "prod", "argmax", "argmin", "std", "var", "norm", "any", "all", "logsumexp"}
)
_DEPTH = 8


def dimensions(module: Module, node: ast.AST, depth: int = 0) -> int | None:
    """The number of dimensions of a tensor, on all ways it may have been made; None if that is not known."""
    origins = module.origins(node)
    if not origins.complete or not origins.values or depth > _DEPTH:
        return None
    found = {_of_value(value, depth + 1) for value in origins}
    return found.pop() if len(found) == 1 else None


def _of_value(value: Value, depth: int) -> int | None:
    node, module = value.node, value.module
    if value.part == "element":
        source = _dataset(module, node, value.index)
        return dimensions(*source, depth) if source is not None else None
    if value.part:
        return None
    if isinstance(node, ast.Call):
        return _of_call(module, node, depth)
    if isinstance(node, ast.Subscript):
        return _indexed(dimensions(module, node.value, depth), node.slice)
    if isinstance(node, ast.UnaryOp):
        return dimensions(module, node.operand, depth)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        sides = [dimensions(module, side, depth) for side in (node.left, node.right)]
        known = [side for side in sides if side is not None]
        return max(known) if len(known) == 2 else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return 0
    return None


def _dataset(module: Module, node: ast.AST, index: int | None) -> tuple[Module, ast.AST] | None:
    """The tensor whose rows come out of a loop over a loader (one per batch, with its first dimension), or over splits."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "split" and index is None:
        return module, node
    loader = module.instance(node)
    if (
        loader is None
        or loader.category != "loader"
        or loader.call is None
        or loader.module is None
        or index is None
    ):
        return None
    if (
        any(k.arg in ("collate_fn", "batch_size") and _none(k) for k in loader.call.keywords)
        or not loader.call.args
    ):
        return None
    data = loader.module.origins(loader.call.args[0]).only
    if data is None or not isinstance(data.node, ast.Call) or data.part:
        return None
    tensors = data.node.args
    if data.module.dotted(data.node.func) != "torch.utils.data.TensorDataset" or index >= len(tensors):
        return None
    return None if any(isinstance(t, ast.Starred) for t in tensors) else (data.module, tensors[index])


def _none(keyword: ast.keyword) -> bool:
    return keyword.arg == "collate_fn" or (
        isinstance(keyword.value, ast.Constant) and keyword.value.value is None
    )


def _of_call(module: Module, call: ast.Call, depth: int) -> int | None:
    name = module.dotted(call.func)
    if name in _MAKING:
        sizes = call.args
        if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
            sizes = sizes[0].elts
        if len(sizes) == 1 and isinstance(sizes[0], ast.Constant) and sizes[0].value == 1:
            return None  # one number fits everything
        written = all(isinstance(s, ast.Constant) for s in sizes) or len(sizes) > 1
        starred = any(isinstance(s, ast.Starred) for s in sizes) or any(
            k.arg == "size" for k in call.keywords
        )
        return len(sizes) if sizes and written and not starred else None
    home, _, last = name.rpartition(".")
    if home in ("torch", "torch.nn.functional") and call.args:
        return _method(module, last, call.args[0], call.args[1:], call.keywords, depth)
    if isinstance(call.func, ast.Attribute) and not name and module.callee(call) is None:
        return _method(module, call.func.attr, call.func.value, call.args, call.keywords, depth)
    return None


def _method(
    module: Module, name: str, on: ast.expr, args: list[ast.expr], keywords: list[ast.keyword], depth: int
) -> int | None:
    given = {k.arg: k.value for k in keywords}
    before = dimensions(module, on, depth)
    if before is None:
        return None
    if name in _SAME:
        return before
    if name == "unsqueeze" and len(args) == 1:
        return before + 1
    if name in _REDUCING and "keepdim" not in given and len(args) <= 1:
        dim = args[0] if args else given.get("dim")
        if dim is None:
            return 0
        return before - 1 if _integer(dim) else None
    return None


def _integer(node: ast.expr) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and type(node.value) is int


def _indexed(before: int | None, index: ast.expr) -> int | None:
    """The dimensions that are left by slices, numbers and ``None``."""
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if before is None:
            return None
        if isinstance(part, ast.Constant) and part.value is None:
            before += 1
        elif _integer(part):
            before -= 1
        elif not isinstance(part, ast.Slice):
            return None
    return before
