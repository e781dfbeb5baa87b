"""Classes in dimension 1 or 0: a segmentation map, and a single sample without a batch."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
conv, policy = nn.Conv2d(1, 3, 3, padding=1), nn.Linear(5, 4)
opt = torch.optim.Adam([*conv.parameters(), *policy.parameters()], lr=1e-2)
for _ in range(12):
    log_p = F.log_softmax(conv(torch.randn(2, 1, 6, 6)), dim=1)
    loss = F.nll_loss(log_p, torch.randint(0, 3, (2, 6, 6)))
    probs = F.softmax(policy(torch.randn(5)), dim=0)
    action = torch.multinomial(probs.detach(), 1)
    loss = loss - torch.log(probs.gather(0, action)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
