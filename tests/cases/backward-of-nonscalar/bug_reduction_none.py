"""The loss is kept per sample for a weighting that was never added."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(reduction="none")
x, y = torch.randn(16, 5), torch.randint(3, (16,))
for step in range(3):
    loss = criterion(model(x), y)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
