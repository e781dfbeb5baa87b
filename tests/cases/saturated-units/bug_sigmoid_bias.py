"""A bias of 8 before every sigmoid."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 24), nn.Linear(24, 2)
        self.a.bias.data.fill_(8.0)

    def forward(self, x):
        return self.b(self.a(x).sigmoid())  # <- cause


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
