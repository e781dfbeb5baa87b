"""A gate that starts open (a bias of 3, as in highway layers)."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()


class Highway(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.plain, self.gate = nn.Linear(d, d), nn.Linear(d, d)
        nn.init.constant_(self.gate.bias, 3.0)

    def forward(self, x):
        g = torch.sigmoid(self.gate(x))
        return g * x + (1 - g) * torch.relu(self.plain(x))


model = nn.Sequential(Highway(8), Highway(8), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
