"""zero_grad before backward, after step, accumulation, and a shared model cleared between two losses."""
import torch
import torch.nn as nn

torch.manual_seed(0)
body, a, b = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opt_a = torch.optim.Adam([*body.parameters(), *a.parameters()], lr=1e-2)
opt_b = torch.optim.Adam(b.parameters(), lr=1e-2)
for i in range(24):
    x = torch.randn(8, 4)
    (a(torch.tanh(body(x))) - x[:, :1]).pow(2).mean().backward()
    if i % 2 == 1:
        opt_a.step()
        opt_a.zero_grad()
    opt_b.zero_grad()
    loss = (b(torch.tanh(body(x)).detach()) - x[:, 1:2]).pow(2).mean()
    loss.backward()
    opt_b.step()
    body.zero_grad() if i % 2 == 1 else None
