"""Pure bfloat16 at a learning rate that its resolution can hold."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
target = torch.randn(16, 4) / 4
for _ in range(12):
    x = torch.randn(40, 16)
    loss = nn.functional.mse_loss(model(x.bfloat16()).float(), x @ target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
