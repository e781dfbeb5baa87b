"""Images with the channels last, as image libraries give them."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def batch():
    return torch.rand(4, 20, 20, 3), torch.randint(2, (4,))


for step in range(3):
    images, labels = batch()
    loss = nn.functional.cross_entropy(model(images), labels)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
