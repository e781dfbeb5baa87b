"""Biases of -5: nearly all units are off for every sample from the first pass on."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 64)
        self.out = nn.Linear(64, 2)
        with torch.no_grad():
            self.hidden.bias[2:] = -5.0

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))  # <- cause


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
