"""One constant for the whole batch, times a measured variable: a physical law that is fitted."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x, t = torch.randn(32, 3), torch.rand(32)
    rate = nn.functional.softplus(net(x).mean())
    decay = torch.exp(-(net(x) ** 2).mean()) * t
    loss = ((torch.exp(-rate * t) - torch.exp(-0.7 * t)) ** 2).mean() + ((decay - 0.5 * t) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
