"""In-place operations on what no backward needs: after an addition, in ReLU(inplace=True), under no_grad."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Linear(16, 16), nn.Dropout(0.1, inplace=True), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
mask = torch.empty(32, 8)
for step in range(12):
    x = torch.randn(32, 8)
    mask.bernoulli_(0.9)
    x.mul_(mask)
    out = model(x)
    out += 0.1
    out[:, 0] -= 0.2
    loss = (out - x.mean(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model[0].bias.clamp_(-1, 1)
