"""steps_per_epoch counts samples: the peak of the cycle is never reached."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(160, 6)
loader = DataLoader(TensorDataset(x, x.abs().sum(1, keepdim=True)), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
samples = len(loader.dataset)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, epochs=4, steps_per_epoch=samples)  # <- cause
for _ in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        scheduler.step()
