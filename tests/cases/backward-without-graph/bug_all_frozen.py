"""A backbone is frozen, and so is the head that was meant to be trained on top of it."""
import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(10, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))


model = Classifier()
for parameter in model.parameters():
    parameter.requires_grad = False  # <- cause

optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
inputs, targets = torch.randn(32, 10), torch.randint(2, (32,))
for step in range(3):
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
