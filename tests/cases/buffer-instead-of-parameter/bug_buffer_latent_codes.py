import torch
import torch.nn as nn

torch.manual_seed(0)


class AutoDecoder(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.register_buffer("codes", torch.randn(n, d) * 0.01)  # <- cause
        self.net = nn.Sequential(nn.Linear(d + 2, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, idx, xy):
        return self.net(torch.cat([self.codes[idx], xy], -1))


m = AutoDecoder(5, 3)
opt = torch.optim.Adam(m.parameters(), 1e-2)
for _ in range(12):
    idx, xy = torch.randint(0, 5, (32,)), torch.randn(32, 2)
    loss = (m(idx, xy).squeeze(1) - xy.norm(dim=1) + idx).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
