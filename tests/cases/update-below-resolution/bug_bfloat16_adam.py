"""A model in pure bfloat16 with a small learning rate: 1e-5 is lost against weights of 0.3."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def build_model(dtype):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    for p in model.parameters():
        nn.init.uniform_(p, 0.25, 0.5)
    return model.to(dtype)  # <- cause


model = build_model(torch.bfloat16)  # <- cause
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.0)  # <- cause
x = torch.randn(32, 8, dtype=torch.bfloat16)
for _ in range(12):
    loss = (model(x) - x.sum(1, keepdim=True)).float().pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
