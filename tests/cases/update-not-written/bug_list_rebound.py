"""A list of new tensors is returned and ignored by the caller."""

import torch

torch.manual_seed(0)


def init(sizes):
    return [torch.randn(a, b).mul_(0.4).requires_grad_() for a, b in zip(sizes, sizes[1:])]


def predict(weights, x):
    for w in weights[:-1]:
        x = torch.tanh(x @ w)
    return x @ weights[-1]


def update(weights, lr):
    new = []
    for w in weights:
        new.append((w - lr * w.grad).detach().requires_grad_())  # <- cause
        w.grad = None
    return new


weights = init([3, 12, 1])
x = torch.randn(64, 3)
for _ in range(40):
    loss = (predict(weights, x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    update(weights, 0.1)  # <- cause
