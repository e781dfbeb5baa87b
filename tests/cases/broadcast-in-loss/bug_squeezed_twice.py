"""The forward squeezes already, and the target is unsqueezed for the old shape."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


net, criterion = Net(), nn.L1Loss()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(16, 3)
    y = x.prod(1)
    optimizer.zero_grad()
    loss = criterion(net(x), y.unsqueeze(1))  # <- cause
    loss.backward()
    optimizer.step()
