"""An EarlyStopping class that keeps the state in an attribute."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.state, self.bad = patience, None, None, 0

    def __call__(self, value, model):
        if self.best is None or value < self.best:
            self.best, self.bad = value, 0
            self.state = model.state_dict()  # <- cause
        else:
            self.bad += 1
        return self.bad > self.patience


def train(model, epochs=8):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    stopper = EarlyStopping(4)
    for epoch in range(epochs):
        for idx in torch.randperm(60).split(15):
            opt.zero_grad()
            F.cross_entropy(model(x[idx]), y[idx]).backward()
            opt.step()
        with torch.no_grad():
            val = F.cross_entropy(model(x[60:]), y[60:]).item()
        if stopper(val, model):
            break
    model.load_state_dict(stopper.state)
    return model


train(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)))
