"""Custom autograd Functions: in-place, several outputs, non-differentiable ones, double backward, setup_context."""

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Swish(Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x)
        ctx.beta = beta
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(ctx.beta * x)
        return grad * (s + ctx.beta * x * s * (1 - s)), None


class Split(Function):
    @staticmethod
    def forward(x):
        return x[:, ::2].clone(), x[:, 1::2].clone(), x.argmax(1)

    @staticmethod
    def setup_context(ctx, inputs, outputs):
        ctx.mark_non_differentiable(outputs[2])
        ctx.shape = inputs[0].shape

    @staticmethod
    @once_differentiable
    def backward(ctx, left, right, _):
        grad = left.new_empty(ctx.shape)
        grad[:, ::2], grad[:, 1::2] = left, right
        return grad


class Halve(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(0.5)

    @staticmethod
    def backward(ctx, grad):
        return grad * 0.5


torch.manual_seed(1)
first, second = nn.Linear(4, 8), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.05)
for step in range(8):
    x = torch.randn(16, 4)
    left, right, top = Split.apply(Halve.apply(first(x)))
    out = second(Swish.apply(left + right, 1.5))
    loss = (out - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), top.sum().item())
