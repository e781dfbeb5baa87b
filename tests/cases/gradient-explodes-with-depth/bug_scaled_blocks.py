"""sin(30 h) in every block: thirty times the gradient, each time."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Sine(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        return torch.sin(30 * self.fc(x))  # <- cause


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), *[Sine(16) for _ in range(6)], nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-4)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
