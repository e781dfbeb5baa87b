"""Operations with several outputs and odd shapes: split, unbind, topk, svd, max, sort, einsum, empty tensors."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Linear(4, 12)
mix = nn.Parameter(torch.randn(3, 3))
empty = nn.Parameter(torch.zeros(0, 4))
head = nn.Linear(5, 1)
optimizer = torch.optim.Adamax([*model.parameters(), mix, empty, *head.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(16, 4)
    a, b, c = model(x).split(4, dim=1)
    top, where = a.topk(3, dim=1)
    peak = b.max(dim=1)
    ordered, _ = torch.sort(c, dim=1)
    values = torch.linalg.svdvals(top.t() @ top + torch.eye(3))
    mixed = torch.einsum("bi,ij->bj", top, mix)
    nothing = torch.cat([x[:0], empty]).sum()
    parts = [*mixed.unbind(1), peak.values, ordered[:, 0] + 0 * peak.indices]
    out = head(torch.stack(parts, dim=1)) + values.log().mean() * 0.01 + nothing
    loss = (out - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), where.sum().item())
