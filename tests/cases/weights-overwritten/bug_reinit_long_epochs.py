"""Xavier initialisation in a function that is called for every epoch of fifteen batches."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def init(net):
    for p in net.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)  # <- cause


def train(net, opt, x, y, epochs):
    for _ in range(epochs):
        init(net)  # <- cause
        for i in torch.randperm(len(x)).split(8):
            loss = nn.functional.mse_loss(net(x[i]), y[i])
            opt.zero_grad()
            loss.backward()
            opt.step()


net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(120, 4)
train(net, torch.optim.Adam(net.parameters(), lr=1e-2), x, x.prod(1, keepdim=True), 5)
