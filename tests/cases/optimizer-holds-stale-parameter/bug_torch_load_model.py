import io

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), 1e-2)  # <- cause
buf = io.BytesIO()
torch.save(model, buf)
buf.seek(0)
model = torch.load(buf, weights_only=False)  # <- cause
for _ in range(12):
    x = torch.randn(16, 4)
    loss = (model(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
