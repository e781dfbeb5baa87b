"""zero_grad is called on the encoder's optimizer only; the head's gradients pile up."""

import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(6, 12), nn.Linear(12, 2)
opt_encoder = torch.optim.Adam(encoder.parameters(), lr=1e-3)
opt_head = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9)
for step in range(20):
    x = torch.randn(32, 6)
    y = (x[:, 0] > 0).long()
    opt_encoder.zero_grad()
    loss = nn.functional.cross_entropy(head(encoder(x).relu()), y)
    loss.backward()  # <- cause
    opt_encoder.step()
    opt_head.step()
