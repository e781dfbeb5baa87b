"""Averaging is to begin at an epoch that never comes."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :1].sin()
EPOCHS, START = 5, 5


def evaluate(net):
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(x), y).item()  # <- cause


model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(EPOCHS):
    model.train()
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        opt.step()
    if epoch > START:
        ema.update_parameters(model)
    print(evaluate(ema))
