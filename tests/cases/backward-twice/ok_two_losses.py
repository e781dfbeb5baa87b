"""Two losses with a common encoder; two terms, each with its own pass and retain_graph."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head, decoder = nn.Linear(8, 16), nn.Linear(16, 3), nn.Linear(16, 8)
params = [p for m in (encoder, head, decoder) for p in m.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)
for step in range(15):
    x = torch.randn(32, 8)
    z = encoder(x).relu()
    optimizer.zero_grad()
    F.cross_entropy(head(z), x[:, :3].argmax(1)).backward(retain_graph=True)
    (0.1 * F.mse_loss(decoder(z), x)).backward(retain_graph=True)
    (1e-3 * z.abs().mean()).backward()
    optimizer.step()
