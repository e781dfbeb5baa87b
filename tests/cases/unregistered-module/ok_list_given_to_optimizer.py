"""Layers in a plain list, but the script hands their parameters to the optimizer itself."""

import itertools

import torch
import torch.nn as nn

torch.manual_seed(0)
layers = [nn.Linear(6, 10), nn.Linear(10, 10), nn.Linear(10, 1)]


def model(x):
    for layer in layers[:-1]:
        x = torch.tanh(layer(x))
    return layers[-1](x)


opt = torch.optim.SGD(itertools.chain.from_iterable(layer.parameters() for layer in layers), lr=0.1)
x = torch.randn(32, 6)
for _ in range(12):
    loss = (model(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
