"""Indices select, but the scores take part too (mixture of experts, straight-through Gumbel)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.codes = nn.Linear(4, 5)
        self.table = nn.Parameter(torch.randn(5, 4))

    def forward(self, x):
        gate = self.router(x).softmax(-1)
        weight, idx = gate.topk(2, dim=-1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, slot = (idx == e).nonzero(as_tuple=True)
            if len(rows):
                out = out.index_add(0, rows, expert(x[rows]) * weight[rows, slot, None])
        onehot = F.gumbel_softmax(self.codes(x), hard=True)
        return out + onehot @ self.table


model = MoE()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(24, 4)
    loss = F.mse_loss(model(x), x.flip(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
