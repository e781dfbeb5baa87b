"""Fine-tuning only the head of a (random) backbone, chosen in the script itself; all goes to the optimizer."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def set_trainable(module, flag=False):
    for p in module.parameters():
        p.requires_grad = flag


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.classifier = nn.Linear(32, 4)

    def forward(self, x):
        return self.classifier(self.features(x))


model = Net()
set_trainable(model.features)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(20, 1, 8, 8), torch.randint(0, 4, (20,))
for _ in range(12):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
