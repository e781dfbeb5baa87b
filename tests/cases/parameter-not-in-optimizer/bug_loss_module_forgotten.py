"""The learned centres of a loss module are in no optimizer."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class ArcLoss(nn.Module):
    def __init__(self, dim, classes, scale=8.0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.scale = scale

    def forward(self, z, y):
        cos = nn.functional.normalize(z) @ nn.functional.normalize(self.weight).t()
        return nn.functional.cross_entropy(self.scale * cos, y)


model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 5))
criterion = ArcLoss(5, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <- cause
data = torch.utils.data.TensorDataset(torch.randn(64, 6), torch.randint(0, 4, (64,)))
for epoch in range(4):
    for x, y in torch.utils.data.DataLoader(data, batch_size=16, shuffle=True):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
