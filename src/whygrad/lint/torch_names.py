"""What torch's names mean, known without torch. The names are those of its documentation, 2.6 to 2.13."""

from __future__ import annotations

import re
from typing import Literal

Category = Literal[
    "module", "loss", "optimizer", "scheduler", "scaler", "parameter", "tensor", "loader", "module-class"
]

_PRIVATE = re.compile(
    r"^torch\.(nn\.modules|nn\.parameter|optim|autograd\.variable|utils\.data\.\w+|nn\.parallel)"
    r"\.(?:[a-z_0-9]+\.)?(?P<name>[A-Z]\w*)$"
)
_HOMES = {
    "nn.modules": "torch.nn",
    "nn.parameter": "torch.nn",
    "optim": "torch.optim",
    "autograd.variable": "torch.autograd",
    "nn.parallel": "torch.nn.parallel",
}
_NORM = {
    "torch.nn.utils.clip_grad.": "torch.nn.utils.",
    "torch.functional.": "torch.",
    "torch.special.": "torch.",
}

LOSS_MODULES = frozenset(
    {
        "torch.nn.BCELoss", "torch.nn.BCEWithLogitsLoss", "torch.nn.CTCLoss", "torch.nn.CosineEmbeddingLoss",
        "torch.nn.CrossEntropyLoss", "torch.nn.GaussianNLLLoss", "torch.nn.HingeEmbeddingLoss", "torch.nn.HuberLoss",
        "torch.nn.KLDivLoss", "torch.nn.L1Loss", "torch.nn.MSELoss", "torch.nn.MarginRankingLoss",
        "torch.nn.MultiLabelMarginLoss", "torch.nn.MultiLabelSoftMarginLoss", "torch.nn.MultiMarginLoss",
        "torch.nn.NLLLoss", "torch.nn.PoissonNLLLoss", "torch.nn.SmoothL1Loss", "torch.nn.SoftMarginLoss",
        "torch.nn.TripletMarginLoss", "torch.nn.TripletMarginWithDistanceLoss",
    }
)  # fmt: skip
LOSS_FUNCTIONS = frozenset(
    "torch.nn.functional." + name
    for name in (
        "binary_cross_entropy", "binary_cross_entropy_with_logits", "poisson_nll_loss", "cosine_embedding_loss",
        "cross_entropy", "ctc_loss", "gaussian_nll_loss", "hinge_embedding_loss", "kl_div", "l1_loss", "mse_loss",
        "margin_ranking_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "multi_margin_loss", "nll_loss",
        "huber_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
    )
)  # fmt: skip
SCALERS = frozenset({"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.GradScaler"})
#: A call of one of these hands its first argument back, wrapped or not: what it held is still held.
SAME_MODULE = frozenset(
    {"torch.compile", "torch.jit.script", "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel",
     "torch.nn.parallel.DataParallel", "torch.distributed.fsdp.FullyShardedDataParallel", "copy.deepcopy", "copy.copy"}
)  # fmt: skip
#: Methods of a module or tensor that hand it back (or, for a tensor, hand it on with its history).
SAME_OBJECT = frozenset(
    {"to", "cuda", "cpu", "train", "eval", "half", "float", "double", "bfloat16", "requires_grad_", "type", "apply",
     "xpu", "share_memory", "to_empty", "compile"}
)  # fmt: skip
#: Methods of a tensor whose result carries the tensor's history.
DIFFERENTIABLE_METHODS = SAME_OBJECT | frozenset(
    {"mean", "sum", "view", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "contiguous", "pow", "abs",
     "exp", "log", "sqrt", "clamp", "clip", "norm", "mul", "add", "sub", "div", "matmul", "mm", "bmm", "softmax", "log_softmax",
     "sigmoid", "tanh", "relu", "t", "expand", "repeat", "masked_fill", "gather", "index_select", "unflatten", "movedim",
     "clone", "square", "neg", "logsumexp", "std", "var", "prod", "cumsum", "max", "min", "unbind", "split", "chunk", "type_as",
     "to_dense", "view_as", "reshape_as", "expand_as", "log_prob", "rsample", "select", "narrow", "take_along_dim", "unfold"}
)  # fmt: skip
#: Functions of torch whose results do not carry a history, whatever goes in.
WITHOUT_HISTORY = frozenset(
    "torch." + name
    for name in (
        "tensor", "as_tensor", "asarray", "from_numpy", "Tensor", "zeros", "ones", "full", "empty", "rand", "randn", "randint",
        "randperm", "arange", "linspace", "eye", "zeros_like", "ones_like", "full_like", "empty_like", "rand_like",
        "randn_like", "randint_like", "argmax", "argmin", "argsort", "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf",
        "isfinite", "bernoulli", "multinomial", "one_hot", "allclose", "equal", "is_tensor", "manual_seed", "bincount",
        "nonzero", "device", "load", "save", "no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "normal",
        "round", "floor", "ceil", "sign", "bucketize", "searchsorted", "unique", "histc", "logspace", "count_nonzero",
        "autograd.grad", "FloatTensor", "LongTensor", "DoubleTensor", "BoolTensor", "IntTensor", "result_type", "numel", "get_rng_state",
    )
)  # fmt: skip


#: Functions and methods that are flat between their steps: autograd follows them, and the gradient is zero.
ROUNDING = frozenset({"round", "floor", "ceil", "trunc", "sign"})


def canonical(name: str) -> str:
    """The public name: ``torch.nn.Linear`` for ``torch.nn.modules.linear.Linear``."""
    if not name.startswith("torch."):
        return name
    match = _PRIVATE.match(name)
    if match and match[1] in _HOMES and "lr_scheduler" not in name:
        return f"{_HOMES[match[1]]}.{match['name']}"
    for private, public in _NORM.items():
        if name.startswith(private):
            return public + name[len(private) :]
    return name


def category(name: str) -> Category | None:
    """What an instance of the class of that full name is; None if it is none of ours, or not known."""
    home, _, last = name.rpartition(".")
    if not last[:1].isupper() and last != "lr_scheduler":
        return None
    if name in LOSS_MODULES:
        return "loss"
    if name == "torch.nn.Parameter" or name.startswith("torch.nn.Uninitialized"):
        return "parameter"
    if home == "torch.nn" or home.startswith(("torch.nn.modules", "torchvision.models")):
        return "module"
    if home == "torch.optim" and last != "Optimizer":
        return "optimizer"
    if home == "torch.optim.lr_scheduler":
        return "scheduler"
    if name in SCALERS:
        return "scaler"
    if name == "torch.utils.data.DataLoader":
        return "loader"
    if name == "torch.Tensor":
        return "tensor"
    return None


#: Classes whose subclasses are modules.
MODULE_BASES = frozenset(
    {"torch.nn.Module", "torch.jit.ScriptModule", "pytorch_lightning.LightningModule", "lightning.LightningModule",
     "lightning.pytorch.LightningModule", "pytorch_lightning.core.LightningModule", "torch_geometric.nn.MessagePassing",
     "transformers.PreTrainedModel", "transformers.modeling_utils.PreTrainedModel"}
)  # fmt: skip


def is_module_base(name: str) -> bool:
    """Whether a class with this base is a module: the base is ``torch.nn.Module``, or one that derives from it."""
    return name in MODULE_BASES or category(name) in ("module", "loss")
