"""A frozen backbone with loaded weights, a LoRA adapter, a new head; and later the backbone thawed."""

import io

import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


torch.manual_seed(1)
file = io.BytesIO()
torch.save(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8)).state_dict(), file)
file.seek(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8))
backbone.load_state_dict(torch.load(file))
for p in backbone.parameters():
    p.requires_grad = False
backbone[2] = LoRA(backbone[2])
head = nn.Linear(8, 1)
trainable = [p for m in (backbone, head) for p in m.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=0.02)
for step in range(12):
    if step == 6:
        backbone[0].requires_grad_(True)
        optimizer.add_param_group({"params": backbone[0].parameters(), "lr": 0.001})
    x = torch.randn(16, 4)
    loss = (head(backbone(x)) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
