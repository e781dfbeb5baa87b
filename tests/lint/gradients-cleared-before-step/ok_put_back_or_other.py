import torch
from torch import nn

body, head = nn.Linear(4, 4), nn.Linear(4, 1)
first = torch.optim.Adam(body.parameters(), lr=1e-3)
second = torch.optim.Adam(head.parameters(), lr=1e-3)
for x, y in loader:
    first.zero_grad()
    nn.functional.mse_loss(head(body(x)), y).backward()
    second.zero_grad()
    first.step()

for x, y in loader:
    nn.functional.mse_loss(head(body(x)), y).backward()
    grads = [p.grad.clone() for p in body.parameters()]
    first.zero_grad()
    for p, g in zip(body.parameters(), grads):
        p.grad = g
    first.step()

for x, y in loader:
    nn.functional.mse_loss(head(body(x)), y).backward()
    first.zero_grad()
    restore(body)
    first.step()
