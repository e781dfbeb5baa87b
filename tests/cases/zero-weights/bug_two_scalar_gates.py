"""Two zero scalars multiply one branch."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.alpha = nn.Parameter(torch.zeros(1))  # <- cause
        self.gate = nn.Parameter(torch.zeros(1))  # <- cause

    def forward(self, x):
        return x + self.gate * (self.alpha * torch.relu(self.fc(x)))


model = nn.Sequential(nn.Linear(4, 12), Block(12), nn.Linear(12, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.norm(dim=1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
