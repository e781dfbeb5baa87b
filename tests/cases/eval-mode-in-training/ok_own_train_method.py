"""A model's own train() keeps its backbone's normalisation in evaluation mode."""

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(12, 2))

    def forward(self, x):
        return self.head(self.backbone(x))

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self


torch.manual_seed(0)
model = Detector()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _epoch in range(3):
    model.train()
    for _ in range(5):
        x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    model.eval()
