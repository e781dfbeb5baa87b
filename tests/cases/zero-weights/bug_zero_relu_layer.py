"""A zero-initialised layer (weight and bias) in front of a ReLU: relu'(0) = 0."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class SqueezeExcite(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.fc.weight.data.zero_()  # <- cause
        self.fc.bias.data.zero_()  # <- cause

    def forward(self, x):
        return x * (1 + torch.relu(self.fc(x)))


model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), SqueezeExcite(16), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1] ** 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
