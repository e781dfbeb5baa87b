"""scheduler.step() is called, optimizer.step() is not."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def train_one_epoch(model, loader, optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # <- cause
        scheduler.step()  # <- cause


data = torch.utils.data.TensorDataset(torch.randn(64, 6), torch.randint(0, 2, (64,)))
loader = torch.utils.data.DataLoader(data, batch_size=8)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=80)
for epoch in range(10):
    train_one_epoch(model, loader, optimizer, scheduler)
