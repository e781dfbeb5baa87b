"""With accumulation the scaler is updated after every batch, also where it has not stepped."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
for step in range(8):
    x, y = torch.randn(16, 6), torch.randint(2, (16,))
    loss = nn.functional.cross_entropy(model(x), y) / 4
    scaler.scale(loss).backward()
    if step % 4 == 3:
        scaler.step(optimizer)
        optimizer.zero_grad()
    scaler.update()  # <- cause
