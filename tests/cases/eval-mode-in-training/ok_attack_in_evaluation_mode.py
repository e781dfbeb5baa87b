"""Adversarial examples are made in evaluation mode, with gradients; every step is taken in training mode."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def attack(net, x, y):
    net.eval()
    x = x.clone().requires_grad_()
    nn.functional.cross_entropy(net(x), y).backward()
    return (x + 0.1 * x.grad.sign()).detach()


for _ in range(14):
    inputs, labels = torch.randn(16, 8), torch.randint(0, 3, (16,))
    hard = attack(model, inputs, labels)
    model.train()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(hard), labels).backward()
    optimizer.step()
