import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Proto(nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.enc = nn.Linear(5, d)
        self.protos = F.normalize(nn.Parameter(torch.randn(k, d)), dim=1)  # <- cause

    def forward(self, x):
        return F.normalize(self.enc(x), dim=1) @ self.protos.t()


m = Proto(4, 6)
opt = torch.optim.Adam(m.parameters(), 1e-2)
x, y = torch.randn(30, 5), torch.randint(0, 4, (30,))
for _ in range(12):
    loss = F.cross_entropy(m(x) / 0.1, y)
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
