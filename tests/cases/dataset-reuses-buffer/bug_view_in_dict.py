"""A view of one scratch tensor, written by a helper, in a dictionary."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, width):
        self.series, self.width = series, width
        self.scratch = torch.empty(2, width)

    def __len__(self):
        return len(self.series) - self.width

    def fill(self, i):
        self.scratch[0].copy_(self.series[i : i + self.width])  # <- cause
        self.scratch[1] = self.scratch[0] - self.scratch[0].mean()  # <- cause

    def __getitem__(self, i):
        self.fill(i)
        return {"past": self.scratch.view(-1), "next": self.series[i + self.width].clone()}  # <- cause


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 1))

    def forward(self, past):
        return self.net(past).squeeze(-1)


def train_one_epoch(model, loader, optimizer):
    for batch in loader:
        loss = nn.functional.mse_loss(model(batch["past"]), batch["next"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
series = torch.sin(torch.arange(300) * 0.3)
model = Forecaster()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(2):
    train_one_epoch(model, DataLoader(Windows(series, 8), batch_size=16, shuffle=True), optimizer)
