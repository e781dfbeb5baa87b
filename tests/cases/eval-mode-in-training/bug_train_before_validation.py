"""train() is called at the start of each epoch, and then a validation that switches to evaluation."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(60, 12), torch.randint(0, 4, (60,))
model = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Dropout(0.4), nn.Linear(24, 4))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()


def accuracy(net, inputs, labels):
    net.eval()  # <- cause
    with torch.no_grad():
        return (net(inputs).argmax(1) == labels).float().mean().item()


for epoch in range(3):
    model.train()  # <- cause
    before = accuracy(model, x, y)
    for i in range(0, 60, 10):
        optimizer.zero_grad()
        criterion(model(x[i : i + 10]), y[i : i + 10]).backward()
        optimizer.step()
    print(epoch, before)
