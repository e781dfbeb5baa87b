"""Softmax where log_softmax was meant."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(6, 16, 3, padding=1)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        h = torch.relu(self.conv(x)).permute(2, 0, 1)
        return self.out(h).softmax(dim=2)  # <- cause


torch.manual_seed(0)
net, criterion = Net(), nn.CTCLoss()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(12):
    out = net(torch.randn(3, 6, 15))
    loss = criterion(out, torch.randint(1, 5, (3, 4)), torch.full((3,), 15), torch.full((3,), 4))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
