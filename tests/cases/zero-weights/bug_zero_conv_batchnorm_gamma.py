"""Zero-initialised convolution followed by BatchNorm whose weight is zero too."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Bottleneck(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.a = nn.Sequential(nn.Conv1d(ch, ch, 3, padding=1), nn.BatchNorm1d(ch), nn.ReLU())
        self.proj = nn.Conv1d(ch, ch, 1, bias=False)
        self.scale = nn.Parameter(torch.empty(1, ch, 1))
        nn.init.constant_(self.proj.weight, 0.0)  # <- cause
        nn.init.constant_(self.scale, 0.0)  # <- cause

    def forward(self, x):
        return x + self.proj(self.a(x)) * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(2, 6, 3, padding=1)
        self.blocks = nn.ModuleList(Bottleneck(6) for _ in range(2))
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(x.mean(-1))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
for step in range(12):
    x, y = torch.randn(8, 2, 10), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
