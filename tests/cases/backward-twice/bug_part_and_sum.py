"""One of two losses is back-propagated by itself, and again within their sum."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head, decoder = nn.Linear(8, 16), nn.Linear(16, 3), nn.Linear(16, 8)
params = [p for m in (encoder, head, decoder) for p in m.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3)
for step in range(15):
    x = torch.randn(32, 8)
    z = encoder(x).relu()
    classes = F.cross_entropy(head(z), x[:, :3].argmax(1))
    again = F.mse_loss(decoder(z), x)
    optimizer.zero_grad()
    classes.backward(retain_graph=True)  # <- cause
    total = classes + 0.1 * again
    total.backward()  # <- cause
    optimizer.step()
