"""Two optimizers that share out the parameters step on one gradient; the clearing is the model's."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
weights = [p for p in model.parameters() if p.dim() > 1]
biases = [p for p in model.parameters() if p.dim() == 1]
optimizers = [torch.optim.SGD(weights, lr=0.02), torch.optim.Adam(biases, lr=1e-3)]
for step in range(20):
    x = torch.randn(16, 6)
    model.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    for optimizer in optimizers:
        optimizer.step()
