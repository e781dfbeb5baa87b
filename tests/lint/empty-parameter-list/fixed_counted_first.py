import torch
from torch import nn

model = nn.Linear(4, 1)
params = list(model.parameters())
print(sum(p.numel() for p in params))
optimizer = torch.optim.Adam(params, lr=1e-3)  # <- cause
