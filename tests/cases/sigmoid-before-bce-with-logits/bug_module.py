"""nn.Sigmoid at the end of the model, BCEWithLogitsLoss after it."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.hidden = nn.Linear(5, width)
        self.out = nn.Linear(width, 1)
        self.act = nn.Sigmoid()  # <- cause

    def forward(self, x):
        return self.act(self.out(torch.relu(self.hidden(x)))).squeeze(1)


torch.manual_seed(0)
net = Net()
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(15):
    x = torch.randn(32, 5)
    y = (x[:, 0] > 0).float()
    loss = criterion(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
