import torch
import torch.nn as nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(12):
    total = 0
    for task in range(2):
        amp = torch.rand(1) * 3
        x = torch.rand(10, 1) * 6 - 3
        y = amp * torch.sin(x)
        fast = dict(net.named_parameters())
        for _ in range(2):
            loss = (functional_call(net, fast, (x,)) - y).pow(2).mean()
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            fast = {k: v - 0.01 * g for (k, v), g in zip(fast.items(), grads)}
        xq = torch.rand(10, 1) * 6 - 3
        total = total + (functional_call(net, fast, (xq,)) - amp * torch.sin(xq)).pow(2).mean()
    meta.zero_grad()
    total.backward()
    meta.step()
