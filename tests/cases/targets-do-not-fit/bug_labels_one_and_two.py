"""Labels counted from 1 into a loss for 0 and 1."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_step(x, y):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y.float())  # <- cause
    loss.backward()
    optimizer.step()


for step in range(12):
    x = torch.randn(32, 5)
    train_step(x, (x[:, 0] > 0).long() + 1)
