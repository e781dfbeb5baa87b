"""A regression target that a floor division has made 0, turned back into a float."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


age = torch.rand(300) * 90
years = (age / 100).int().float()  # <- cause
x = torch.stack([age / 50, age.sqrt(), torch.randn(300), torch.randn(300)], 1)
net, criterion = Net(), nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(12):
    at = torch.randint(0, 300, (30,))
    loss = criterion(net(x[at]), years[at])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
