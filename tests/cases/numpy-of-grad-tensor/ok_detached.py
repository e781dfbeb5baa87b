"""The same for the log, detached."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []
for step in range(12):
    x = torch.randn(8, 4)
    prediction = model(x)
    loss = (prediction - x.mean(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(prediction.detach().numpy())
