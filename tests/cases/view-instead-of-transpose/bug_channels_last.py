"""Feature maps become tokens by view(batch, height * width, channels)."""

import torch
from torch import nn

torch.manual_seed(0)


class Tokens(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        return x.view(b, h * w, c)  # <- cause


model = nn.Sequential(
    nn.Conv2d(3, 12, 3, stride=2, padding=1),
    nn.ReLU(),
    Tokens(),
    nn.Linear(12, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.MSELoss()
for _ in range(6):
    images = torch.rand(8, 3, 8, 8)
    wanted = images.unfold(2, 2, 2).unfold(3, 2, 2).mean((1, 4, 5)).reshape(8, 16, 1)
    optimizer.zero_grad()
    loss = criterion(model(images), wanted)
    loss.backward()
    optimizer.step()
print(loss.item())
