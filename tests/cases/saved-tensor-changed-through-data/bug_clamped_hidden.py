"""A hidden layer is clamped through .data after the next layer has used it."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 32), nn.Linear(32, 2)

    def forward(self, x):
        h = torch.tanh(self.a(x))
        out = self.b(h)
        h.data.clamp_(-0.1, 0.1)  # <- cause
        return out


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
