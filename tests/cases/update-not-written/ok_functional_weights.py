"""Weights are returned by the update and used from then on; torch.autograd.grad instead of backward."""

import torch

torch.manual_seed(0)


def loss_fn(params, x, y):
    h = torch.tanh(x @ params[0] + params[1])
    return ((h @ params[2]).squeeze(1) - y).pow(2).mean()


params = [torch.randn(3, 8) * 0.5, torch.zeros(8), torch.randn(8, 1) * 0.5]
x = torch.randn(64, 3)
y = x.prod(1)
for _ in range(14):
    params = [p.detach().requires_grad_() for p in params]
    grads = torch.autograd.grad(loss_fn(params, x, y), params)
    params = [p - 0.1 * g for p, g in zip(params, grads)]
