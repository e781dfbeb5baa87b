import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(11):
    x = torch.randn(6, 5)
    acc = [torch.zeros_like(p) for p in net.parameters()]
    for i in range(6):
        loss = (net(x[i]) - x[i, :1]).pow(2).mean()
        grads = torch.autograd.grad(loss, list(net.parameters()))
        n = torch.sqrt(sum(g.pow(2).sum() for g in grads))
        c = (1.0 / (n + 1e-6)).clamp(max=1.0)
        for a, g in zip(acc, grads):
            a.add_(g * c)
    for p, a in zip(net.parameters(), acc):
        p.grad = (a + 0.1 * torch.randn_like(a)) / 6
    opt.step()
