"""forward writes its own initial weights back through .data each time."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Blur(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding=1, bias=False)
        self.start = torch.tensor([[[0.25, 0.5, 0.25]]])

    def forward(self, x):
        self.conv.weight.data = self.start.clone()  # <- cause
        return self.conv(x)


net = nn.Sequential(Blur(), nn.Conv1d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv1d(4, 1, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(16, 1, 12)
for _ in range(14):
    loss = (net(x) - x.roll(1, -1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
