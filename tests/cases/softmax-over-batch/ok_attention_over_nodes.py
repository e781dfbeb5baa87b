"""Attention over the nodes of one graph (dimension 0), the class scores normalised over the last."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
score, value, head = nn.Linear(8, 1), nn.Linear(8, 8), nn.Linear(8, 3)
opt = torch.optim.Adam([*score.parameters(), *value.parameters(), *head.parameters()], lr=1e-2)
for _ in range(12):
    outs = []
    for _ in range(4):
        nodes = torch.randn(int(torch.randint(3, 9, ())), 8)
        weight = torch.softmax(score(nodes), dim=0)
        outs.append((weight * value(nodes)).sum(0))
    loss = F.nll_loss(F.log_softmax(head(torch.stack(outs)), dim=1), torch.randint(0, 3, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
