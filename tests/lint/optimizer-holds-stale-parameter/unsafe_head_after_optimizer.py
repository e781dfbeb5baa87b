import torch
import torchvision
from torch import nn

model = torchvision.models.resnet18(weights="DEFAULT")
model.fc = nn.Linear(512, 10)  # <- cause
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
