"""Made for a GPU and tried on a CPU: torch switches it off, or the script does."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    opt.zero_grad()
    enabled = torch.cuda.is_available() or step % 2 == 0
    with torch.autocast("cuda", enabled=enabled):
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
    loss.backward()
    opt.step()
