"""A view with the wrong number of features folds part of them into the batch."""
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.head = nn.Linear(20, 3)

    def forward(self, x):
        h = torch.relu(self.conv(x))
        h = h.view(-1, 20)  # <- cause
        return self.head(h)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 1, 10), torch.randint(3, (8,))
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
