"""Two branches of different width are added."""
import torch
from torch import nn

torch.manual_seed(0)


class TwoBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(5, 8)
        self.right = nn.Linear(5, 6)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        left, right = self.left(x), self.right(x)
        return self.out(torch.relu(left + right))  # <- cause


model = TwoBranches()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    loss = model(torch.randn(8, 5)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
