"""Pure bfloat16 with Adam at 1e-4: a few small weights move, nearly all others never do."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 4))
with torch.no_grad():
    for p in model.parameters():
        p.mul_(2.0)
model = model.to(torch.bfloat16)  # <- cause
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)  # <- cause
target = torch.randn(16, 4) / 4
for _ in range(12):
    x = torch.randn(40, 16)
    loss = nn.functional.mse_loss(model(x.bfloat16()).float(), x @ target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
