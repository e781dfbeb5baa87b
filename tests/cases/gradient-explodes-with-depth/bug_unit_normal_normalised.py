"""Values brought back to unit size, weights that multiply the gradient by a hundred in each layer."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        nn.init.normal_(self.fc.weight, std=4.0)  # <- cause

    def forward(self, x):
        return torch.sin(self.fc(x))  # <- cause


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), *[Block(16) for _ in range(7)], nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=1e-9)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
