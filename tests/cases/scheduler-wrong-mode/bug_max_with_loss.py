"""mode="max", and what it is given is the validation loss."""
import torch
from torch import nn

torch.manual_seed(2)
x = torch.randn(160, 5)
y = x @ torch.randn(5, 1)
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, "max", factor=0.3, patience=2)  # <- cause


def validate(model):
    with torch.no_grad():
        return nn.functional.mse_loss(model(x[128:]), y[128:]).item()


for _ in range(15):
    for i in range(0, 128, 16):
        opt.zero_grad()
        loss = ((net(x[i : i + 16]) - y[i : i + 16]) ** 2).mean()
        loss.backward()
        opt.step()
    plateau.step(validate(net))
