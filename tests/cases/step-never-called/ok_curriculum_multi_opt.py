import torch
import torch.nn as nn

torch.manual_seed(0)
enc, d1, d2 = nn.Linear(6, 8), nn.Linear(8, 6), nn.Linear(8, 3)
o1 = torch.optim.Adam([*enc.parameters(), *d1.parameters()], 1e-2)
o2 = torch.optim.Adam([*enc.parameters(), *d2.parameters()], 1e-2)
x = torch.randn(40, 6)
y = x[:, :3].argmax(1)
for step in range(20):
    if step < 8:
        o, loss = o1, (d1(torch.tanh(enc(x))) - x).pow(2).mean()
    else:
        o, loss = o2, nn.functional.cross_entropy(d2(torch.tanh(enc(x))), y)
    o.zero_grad()
    loss.backward()
    o.step()
