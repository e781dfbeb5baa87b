import torch
from torch import nn
from torch.autograd import Function


class QuantLinear(Function):
    @staticmethod
    def forward(ctx, x, layer):
        ctx.layer = layer
        ctx.save_for_backward(x)
        return x @ layer.weight.t()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        ctx.layer.weight.grad = g.t() @ x
        return g @ ctx.layer.weight, None


class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return QuantLinear.apply(x, self)  # <- cause
