"""The model was moved and the batch was not; meta stands in for a GPU."""
import torch
from torch import nn

device = torch.device("meta")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    x = torch.randn(8, 4)  # <- cause
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
