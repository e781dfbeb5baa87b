"""The parameters are counted through the same generator that the optimizer gets afterwards."""
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
parameters = model.parameters()
print(sum(p.numel() for p in parameters), "weights")
optimizer = torch.optim.Adam(parameters, lr=1e-3)  # <- cause
