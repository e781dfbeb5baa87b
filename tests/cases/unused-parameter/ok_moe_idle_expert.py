import torch
import torch.nn as nn

torch.manual_seed(0)


class MoE(nn.Module):
    def __init__(self, d=6, n=4):
        super().__init__()
        self.gate = nn.Linear(d, n)
        self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(n))
        with torch.no_grad():
            self.gate.bias[3] = -50.0

    def forward(self, x):
        w, i = self.gate(x).softmax(-1).topk(1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            sel = (i[:, 0] == e).nonzero().squeeze(1)
            if len(sel):
                out = out.index_add(0, sel, expert(x[sel]) * w[sel])
        return out


m = nn.Sequential(nn.Linear(4, 6), MoE(), nn.Linear(6, 1))
opt = torch.optim.Adam(m.parameters(), 1e-2)
for _ in range(12):
    x = torch.randn(32, 4)
    loss = (m(x) - x[:, :1].abs()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
