"""Only at the very end the model is tested, in training mode."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(640, 8)
y = x[:, :1].sin()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)


@torch.inference_mode()  # <- cause
def test(inputs, targets):
    return nn.functional.mse_loss(model(inputs), targets).item()


for _ in range(2):
    for rows in torch.randperm(640).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        opt.step()
other = torch.randn(100, 8)
print(test(other, other[:, :1].sin()))
