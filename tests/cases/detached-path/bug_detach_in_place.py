"""detach_() on the module's output."""
import torch
import torch.nn as nn

torch.manual_seed(0)

backbone = nn.Sequential(nn.Linear(5, 12), nn.ReLU())
head = nn.Linear(12, 1)
opt = torch.optim.Adam([{"params": backbone.parameters(), "lr": 1e-3}, {"params": head.parameters()}], lr=1e-2)
x, y = torch.randn(80, 5), torch.randn(80, 1)


def forward(batch):
    features = backbone(batch)
    features.detach_()  # <- cause
    return head(features)


for i in range(0, 80, 4):
    loss = (forward(x[i : i + 4]) - y[i : i + 4]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
