"""An encoder that two losses are meant to train, with an optimizer for each part."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 24), nn.ReLU())
head_a, head_b = nn.Linear(24, 3), nn.Linear(24, 8)
opts = [torch.optim.Adam(m.parameters(), lr=1e-3) for m in (encoder, head_a, head_b)]
for step in range(20):
    x = torch.randn(32, 8)
    for o in opts:
        o.zero_grad()
    z = encoder(x)
    F.cross_entropy(head_a(z), x[:, :3].argmax(1)).backward(retain_graph=True)
    F.mse_loss(head_b(z), x).backward()
    for o in opts:
        o.step()
