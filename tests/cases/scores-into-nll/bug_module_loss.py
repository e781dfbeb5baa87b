"""NLLLoss on what the last linear layer gives."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 32), nn.Linear(32, 5)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


torch.manual_seed(0)
net = Net()
criterion = nn.NLLLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(128, 8), torch.randint(0, 5, (128,))
for _ in range(15):
    out = net(x)
    loss = criterion(out, y)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
