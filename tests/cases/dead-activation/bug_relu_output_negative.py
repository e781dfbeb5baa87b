"""Regression targets are negative, and the output layer ends in a ReLU that is off for all inputs."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.out = nn.Linear(32, 1)
        nn.init.constant_(self.out.bias, -6.0)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.out(self.body(x)))  # <- cause


model = Regressor()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), -x[:, :1].abs() - 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
