"""Masked softmax with -inf, sqrt with an epsilon, masking before the square: all finite."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(6, 6)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(15):
    x = torch.randn(8, 6)
    y = torch.where(torch.rand(8, 6) > 0.8, torch.full((8, 6), float("nan")), x.flip(1))
    valid = ~torch.isnan(y)
    h = net(x)
    attention = h.masked_fill(torch.rand(8, 6) > 0.9, float("-inf")).softmax(1)
    loss = (h[valid] - y[valid]).pow(2).mean() + (h.pow(2).sum(1) + 1e-8).sqrt().mean() + attention.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
