import torch
from torch import nn

model, scale = nn.Linear(4, 1), nn.Parameter(torch.ones(1))
trainable = filter(lambda p: p.requires_grad, model.parameters())
print(sum(p.numel() for p in trainable))
optimizer = torch.optim.Adam([{"params": trainable}, {"params": [scale], "lr": 0.1}], lr=1e-3)  # <- cause
