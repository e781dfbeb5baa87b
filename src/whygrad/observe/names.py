"""What each torch function is to the observer: its name, and how it is to be recorded.

The category follows from the function's own name, so that functions of later releases fall into place.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import torch
from torch.overrides import resolve_name

from whygrad import trace as t

resolve_name(torch.add)  # torch makes its table of names now, and not between two warnings of the script's
#: Without torch's decorator, whose ``catch_warnings`` makes Python forget which warnings were shown already.
_resolve: Callable[[Any], str] = getattr(resolve_name, "__wrapped__", resolve_name)


class Category(IntEnum):
    """How the observer treats a call."""

    SKIP = 0  #: says something about a tensor and changes nothing
    OP = 1
    INPLACE = 2
    CREATE = 3
    IMPORT = 4
    ESCAPE = 5
    GRAD_MODE = 6
    BACKWARD = 7
    GRAD = 8
    GRAD_GET = 9
    GRAD_SET = 10
    DATA_SET = 11
    TRAINABLE = 12
    HOOK = 13


class Function:
    """A torch function as the observer knows it. ``origin`` are the origin bits its result gets of itself;
    ``overwrites``: an in-place function after which nothing of the old value is left. ``decides``: what it makes of
    random numbers is no initialisation."""

    __slots__ = ("category", "decides", "name", "origin", "overwrites")

    def __init__(self, name: str, category: Category, origin: int = 0, overwrites: bool = False) -> None:
        self.name, self.category, self.origin, self.overwrites = name, category, origin, overwrites
        self.decides = name in _DECIDED


_ABOUT = {
    "size", "dim", "numel", "nelement", "stride", "storage_offset", "element_size", "is_contiguous", "ndimension",
    "untyped_storage", "storage", "data_ptr", "get_device", "type",
    "retain_grad", "is_floating_point", "is_complex", "is_nonzero", "is_same_size", "is_signed", "is_inference",
    "has_names", "is_set_to", "is_conj", "is_neg", "is_shared", "share_memory_", "is_storage", "is_tensor",
    "result_type", "can_cast", "promote_types", "is_pinned", "is_coalesced", "allclose", "equal", "broadcast_shapes",
    "set_default_dtype", "get_default_dtype", "manual_seed", "_parse_to", "_has_compatible_shallow_copy_type",
    "record_stream", "sparse_dim", "dense_dim", "set_default_device", "get_default_device", "isclose", "_is_view",
    "compiled_with_cxx11_abi", "__bool__", "__index__", "__len__", "__repr__", "__format__", "__hash__", "__dir__",
    "__contains__", "__reduce_ex__", "__setstate__", "__deepcopy__", "_record_function_enter_new", "__str__",
    "_record_function_exit", "_typed_storage", "_addmm_activation_", "get_num_threads", "numpy_T", "dim_order",
}  # fmt: skip
_ESCAPES = {"item", "tolist", "numpy", "__array__", "__float__", "__int__", "__complex__", "__dlpack__"}
_RANDOM = {
    "rand", "randn", "randint", "randperm", "normal", "rand_like", "randn_like", "randint_like", "uniform_",
    "normal_", "multinomial", "random_", "exponential_", "cauchy_", "log_normal_", "kaiming_uniform_",
    "kaiming_normal_", "xavier_uniform_", "xavier_normal_", "trunc_normal_", "orthogonal_", "sparse_",
}  # fmt: skip
#: Decisions made by chance (masks), and what is worked out from random numbers (bases): fixed, not initialised.
_DECIDED = {
    "bernoulli",
    "poisson",
    "qr",
    "linalg_qr",
    "svd",
    "linalg_svd",
    "linalg_eigh",
    "linalg_matrix_exp",
    "matrix_exp",
}
_CONSTANT = {
    "new_ones",
    "new_full",
    "ones",
    "full",
    "arange",
    "linspace",
    "logspace",
    "eye",
    "ones_like",
    "full_like",
    "fill_",
    "range",
}
_ZERO = {"zeros", "zeros_like", "zero_", "new_zeros"}
_EMPTY = {"empty", "empty_like", "empty_strided", "new_empty"}
_IMPORTS = {
    "tensor",
    "as_tensor",
    "asarray",
    "from_numpy",
    "frombuffer",
    "new_tensor",
    "from_dlpack",
    "scalar_tensor",
}
_FULL_WRITES = {"copy_", "zero_", "fill_", "set_", "bernoulli_", "geometric_"} | {
    n for n in _RANDOM if n.endswith("_")
}
_ARITHMETIC_DUNDERS = {
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "div", "rdiv", "floordiv", "rfloordiv", "mod",
    "rmod", "pow", "rpow", "matmul", "rmatmul", "neg", "pos", "abs", "invert", "and", "rand", "or", "ror", "xor",
    "rxor", "lshift", "rshift", "rlshift", "rrshift", "lt", "le", "gt", "ge", "eq", "ne", "getitem", "iter",
    "torch_dispatch", "array_wrap",
}  # fmt: skip
#: Attributes of a tensor that are tensors with its own value.
_VALUE_GETTERS = {"data", "T", "mT", "H", "mH", "real", "imag"}


def classify(func: Callable[..., Any]) -> Function:
    """Name and category of a function as it reaches ``__torch_function__``."""
    special = _special(func)
    if special is not None:
        return special
    full = _resolve(func) or getattr(func, "__name__", str(func))
    if full.endswith((".__get__", ".__set__", ".__delete__")):
        return _accessor(full)
    name = getattr(func, "__name__", full.rsplit(".", 1)[-1])
    if name in _ABOUT or full.startswith(("profiler.", "torch._C._functorch")):
        return Function(name, Category.SKIP)
    if name in _ESCAPES:
        return Function(name, Category.ESCAPE)
    if name == "requires_grad_":
        return Function(name, Category.TRAINABLE)
    if name in ("register_hook", "register_post_accumulate_grad_hook"):
        return Function(name, Category.HOOK)
    origin = (
        t.RANDOM
        if name in _RANDOM
        else t.ZEROS | t.CONSTANT
        if name in _ZERO
        else t.CONSTANT
        if name in _CONSTANT
        else 0
    )
    if name in _IMPORTS:
        return Function(name, Category.IMPORT, t.DATA)
    if name.startswith("__"):
        return _dunder(name)
    if name.endswith("_") and not name.endswith("__"):
        initialiser = t.INIT if origin & t.RANDOM and full.startswith("torch.nn.init.") else 0
        return Function(name, Category.INPLACE, origin | initialiser, name in _FULL_WRITES)
    if origin or name in _EMPTY:
        return Function(name, Category.CREATE, origin)
    return Function(name, Category.OP)


def _special(func: Callable[..., Any]) -> Function | None:
    if func is torch._C._set_grad_enabled:
        return Function("_set_grad_enabled", Category.GRAD_MODE)
    if func is torch.autograd.backward or func is torch.Tensor.backward:
        return Function("backward", Category.BACKWARD)
    if func is torch.autograd.grad:
        return Function("torch.autograd.grad", Category.GRAD)
    return None


def _accessor(full: str) -> Function:
    attribute, method = full.rsplit(".", 2)[-2:]
    if attribute in ("grad", "_grad"):
        return Function(attribute, Category.GRAD_GET if method == "__get__" else Category.GRAD_SET)
    if attribute == "requires_grad" and method == "__set__":
        return Function("requires_grad", Category.TRAINABLE)
    if attribute == "data" and method == "__set__":
        return Function("data", Category.DATA_SET)
    if attribute in _VALUE_GETTERS and method == "__get__":
        return Function(attribute, Category.OP)
    return Function(attribute, Category.SKIP)


def _dunder(name: str) -> Function:
    if name == "__setitem__":
        return Function(name, Category.INPLACE)
    bare = name.strip("_")
    if bare in _ARITHMETIC_DUNDERS:
        return Function(name, Category.OP)
    if bare.startswith("i") and bare[1:] in _ARITHMETIC_DUNDERS:
        return Function(name, Category.INPLACE)
    return Function(name, Category.SKIP)
