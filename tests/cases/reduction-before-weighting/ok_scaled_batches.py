"""A mean times a number, a vector of tasks' weights, and per-sample weights in a loss that takes them."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(6, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
weight = torch.tensor([1.0, 0.5, 2.0, 1.0])
for step in range(12):
    x = torch.randn(16, 6)
    y = torch.stack([x[:, 0], x[:, 1], x[:, 2], x[:, 3]], 1)
    out = model(x)
    each = torch.stack([F.mse_loss(out[:, i], y[:, i]) for i in range(4)])
    advantage = x[:, 4]
    loss = (each * weight).sum() + 0.1 * F.binary_cross_entropy_with_logits(out[:, 0], (y[:, 0] > 0).float(), weight=torch.rand(16))
    loss = loss + 0.1 * -(F.logsigmoid(out[:, 1]) * (advantage - advantage.mean())).mean()
    loss = loss * (len(x) / 16)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
