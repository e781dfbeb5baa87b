"""The loss of each sample is a column, its weight is flat."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Weighted(nn.Module):
    def forward(self, logits, target, weight):
        each = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        return (each * weight).mean()  # <- cause


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = Weighted()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(24, 6)
    y = (x[:, :1] > 0).float()
    loss = criterion(model(x), y, torch.rand(24) + 0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
