"""0.95 ** epoch as LambdaLR with a strong decay, called in the inner loop."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 0.3**epoch)
x = torch.randn(90, 5)
y = x[:, :3].argmax(1)
for epoch in range(4):
    perm = torch.randperm(90)
    for idx in perm.split(10):
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # <- cause
