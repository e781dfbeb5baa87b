"""Each head steps after its own loss, the encoder steps with the last one, on both."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 24), nn.ReLU())
head_a, head_b = nn.Linear(24, 3), nn.Linear(24, 8)
opt_e, opt_a, opt_b = (torch.optim.SGD(m.parameters(), lr=0.05) for m in (encoder, head_a, head_b))
for step in range(20):
    x = torch.randn(32, 8)
    for o in (opt_e, opt_a, opt_b):
        o.zero_grad()
    F.cross_entropy(head_a(encoder(x)), x[:, :3].argmax(1)).backward()
    opt_a.step()
    F.mse_loss(head_b(encoder(x)), x).backward()
    opt_b.step()
    opt_e.step()
