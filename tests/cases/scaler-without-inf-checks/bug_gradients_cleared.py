"""The gradients are cleared between backward and the scaler's step."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
x, y = torch.randn(16, 6), torch.randint(2, (16,))
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    optimizer.zero_grad()  # <- cause
    scaler.step(optimizer)
    scaler.update()
