"""The model switches off in its forward what the loop has switched on."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 1, 16)
y = x[:, 0, :1].sin()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 3)
        self.out = nn.Linear(8, 1)

    @torch.autocast("cpu", enabled=False)  # <- cause
    def forward(self, x):
        return self.out(torch.relu(self.conv(x)).mean(-1))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(2):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(net(x[rows]).float(), y[rows])
        loss.backward()
        opt.step()
