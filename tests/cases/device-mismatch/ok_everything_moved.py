"""Everything on one device, and a number of no dimension that may lie elsewhere."""
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cpu")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scale = torch.tensor(2.0)
for step in range(12):
    x = torch.randn(8, 4, device=device)
    loss = scale * (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
