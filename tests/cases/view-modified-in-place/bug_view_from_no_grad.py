"""A view of the weight is taken under no_grad and written to later, with autograd on."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4)
with torch.no_grad():
    diagonal = model.weight.diagonal()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    diagonal.clamp_(min=0.0)  # <- cause
