"""The loss of each sample is flat already, and its weight is made a column for it: the mean of all products."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x, y = torch.randn(24, 6), torch.randint(0, 3, (24,))
    weight = torch.rand(24)
    loss = (F.cross_entropy(model(x), y, reduction="none") * weight.unsqueeze(1)).mean()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
