"""Torch's functions by what they do to the elements of a tensor, by plain name."""

from __future__ import annotations

#: Each element of the result depends on the elements in the same place only.
ELEMENTWISE = {
    "add", "sub", "mul", "div", "truediv", "true_divide", "multiply", "divide", "subtract", "pow", "square", "maximum",
    "minimum", "max", "min", "where", "lerp", "addcmul", "addcdiv", "hypot", "logaddexp", "neg", "negative", "abs",
    "absolute", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "relu", "leaky_relu",
    "clamp", "clip", "clamp_min", "clamp_max", "sigmoid", "tanh", "softplus", "logsigmoid", "log_sigmoid", "erf", "erfc",
    "cos", "sin", "cosh", "atan", "sign", "nan_to_num", "xlogy", "eq", "ne", "lt", "le", "gt", "ge", "lgamma", "digamma",
    "special_log_ndtr", "special_ndtr", "special_entr", "float_power", "threshold", "masked_fill", "logical_not",
    "logical_and", "logical_or", "and", "or", "invert", "isnan", "isfinite", "elu", "gelu", "silu", "expand", "expand_as",
    "broadcast_to",
}  # fmt: skip
#: Sums and means, over some or all axes.
SUMS = {"sum", "mean", "nansum", "nanmean"}
#: The same numbers in another shape.
RESHAPES = {
    "unsqueeze", "squeeze", "view", "reshape", "getitem", "flatten", "unflatten", "T", "mT", "t", "transpose", "permute",
    "view_as", "reshape_as", "expand", "expand_as", "broadcast_to", "movedim", "swapaxes", "atleast_2d", "repeat",
}  # fmt: skip
#: Loss functions, which reduce unless told otherwise.
LOSSES = {
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "soft_margin_loss",
    "hinge_embedding_loss", "margin_ranking_loss", "multilabel_soft_margin_loss", "multi_margin_loss",
    "multilabel_margin_loss", "cosine_embedding_loss",
}  # fmt: skip


def plain_name(name: str) -> str:
    """A function's name without underscores and without the mark of a reflected or in-place operator."""
    bare = name.strip("_")
    for mark in ("r", "i"):
        if bare.startswith(mark) and bare[1:] in ("add", "sub", "mul", "div", "truediv", "pow", "and", "or"):
            return bare[1:]
    return bare.removeprefix("torch.")
