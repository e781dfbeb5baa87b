"""The labels are read from a column that holds one number."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
table = torch.cat([torch.randn(400, 5), torch.randint(0, 4, (400, 1)).float(), torch.tensor([[2.0]] * 400)], 1)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    rows = table[torch.randperm(400)[:40]]
    x, y = rows[:, :5], rows[:, -1].long()  # <- cause
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
