import torch
import torch.nn as nn

torch.manual_seed(0)


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 8)
        self.a, self.b = nn.Linear(8, 1), nn.Linear(8, 1)
        self.log_vars = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.a(h), self.b(h)


m = M()
opt = torch.optim.Adam(m.parameters(), 1e-2)
for step in range(12):
    x = torch.randn(16, 5)
    a, b = m(x)
    la, lb = (a - x[:, :1]).pow(2).mean(), (b - x[:, 1:2]).abs().mean()
    loss = (torch.exp(-m.log_vars) * torch.stack([la, lb]) + m.log_vars).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, m.log_vars[0].item(), m.log_vars.tolist(), float(la))
