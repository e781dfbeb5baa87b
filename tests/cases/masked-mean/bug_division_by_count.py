"""The mean over selected elements: in the fourth batch nothing is selected."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(8):
    x = torch.randn(16, 4)
    mask = (x[:, :1] > (9 if step == 3 else 0)).float()
    error = (model(x) - x.sum(1, keepdim=True)).square() * mask
    total = error.sum()
    loss = total / mask.sum()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
