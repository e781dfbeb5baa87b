"""Residual branch that ends in a zero-initialised convolution and a zero gamma."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.act = nn.SiLU()
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False)
        self.gamma = nn.Parameter(torch.ones(ch, 1, 1))
        self.reset()

    def reset(self):
        with torch.no_grad():
            self.conv2.weight.zero_()  # <- cause
            self.gamma.fill_(0)  # <- cause

    def forward(self, x):
        return x + self.gamma * self.conv2(self.act(self.conv1(x)))


model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), Residual(4), Residual(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
for step in range(12):
    x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
