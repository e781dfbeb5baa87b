"""Own weights with a deviation of 4, between sines."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
weights = [nn.Parameter(4 * torch.randn(8, 8)) for _ in range(8)]  # <- cause
last = nn.Parameter(torch.randn(8, 2) / 3)


def model(h):
    for w in weights:
        h = torch.sin(h @ w)  # <- cause
    return h @ last


opt = torch.optim.Adam([*weights, last], lr=1e-4)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
