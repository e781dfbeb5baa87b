"""RMSprop with a decay of 1: a regression that answers the mean."""
import torch
import torch.nn as nn

torch.manual_seed(1)
x = torch.randn(300, 5)
y = x[:, :1] * x[:, 1:2]


def train(model, opt, steps):
    for _ in range(steps):
        i = torch.randint(0, 300, (50,))
        opt.zero_grad()
        ((model(x[i]) - y[i]) ** 2).mean().backward()
        opt.step()


model = nn.Sequential(nn.Linear(5, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
train(model, torch.optim.RMSprop(model.parameters(), lr=2e-3, weight_decay=1.0), 30)  # <- cause
