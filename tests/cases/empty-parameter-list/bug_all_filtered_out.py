"""Every parameter is frozen before those that are to be trained are filtered out."""
import torch
from torch import nn


def freeze(module):
    for parameter in module.parameters():
        parameter.requires_grad_(False)  # <- cause


model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
freeze(model)
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
