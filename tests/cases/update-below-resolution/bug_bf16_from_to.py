import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.a = nn.Linear(8, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.relu(self.a(self.norm(x))))


net = Net().bfloat16()  # <- cause
with torch.no_grad():
    for p in net.parameters():
        p.add_(torch.where(p >= 0, 1.0, -1.0).to(p.dtype))
opt = torch.optim.SGD(net.parameters(), lr=1e-4)  # <- cause
x = torch.randn(32, 8).bfloat16()
for _ in range(12):
    loss = (net(x).float() - 1).pow(2).mean() * 0.1
    opt.zero_grad()
    loss.backward()
    opt.step()
