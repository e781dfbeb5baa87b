"""Time first, as many steps as samples, and a mixture of experts: the weights are summed over dimension 0 too."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
gru, score, out, gate = nn.GRU(5, 16), nn.Linear(16, 1), nn.Linear(16, 3), nn.Linear(5, 4)
experts = nn.ModuleList(nn.Linear(5, 16) for _ in range(4))
optimizer = torch.optim.Adam([p for m in (gru, score, out, gate, experts) for p in m.parameters()], lr=1e-3)
for _ in range(12):
    x = torch.randn(16, 16, 5)
    y = (x[0, :, 0] > 0).long()
    h, _ = gru(x)
    pooled = (F.softmax(score(h), dim=0) * h).sum(0)
    shares = F.softmax(gate(x[0]).t(), dim=0)
    mixed = (shares.unsqueeze(-1) * torch.stack([e(x[0]) for e in experts])).sum(dim=0)
    loss = F.cross_entropy(out(pooled + mixed), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
