import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class MoCo(nn.Module):
    def __init__(self, dim=8, K=32):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, dim))
        self.k = copy.deepcopy(self.q)
        for p in self.k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.ptr = 0

    def forward(self, a, b):
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            for pk, pq in zip(self.k.parameters(), self.q.parameters()):
                pk.data = pk.data * 0.99 + pq.data * 0.01
            k = F.normalize(self.k(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().detach()], 1) / 0.1
        self.queue[:, self.ptr : self.ptr + len(k)] = k.T
        self.ptr = (self.ptr + len(k)) % self.queue.shape[1]
        return F.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))


m = MoCo()
opt = torch.optim.SGD(m.parameters(), 0.05)
for _ in range(11):
    x = torch.randn(8, 6)
    loss = m(x, x + 0.1 * torch.randn_like(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
