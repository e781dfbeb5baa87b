"""A forecast over a series in its order, and rare positives in data that lie as they came."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
t = torch.arange(600) * 0.05
series = torch.sin(t) + 0.02 * t + 0.05 * torch.randn(600)
past = series.unfold(0, 9, 1)
windows = DataLoader(TensorDataset(past[:, :8], past[:, 8:]), batch_size=32)
rare = (torch.rand(320, 1) < 0.04).float()
alarms = DataLoader(TensorDataset(torch.randn(320, 8) + rare, rare), batch_size=16)
model, detector = nn.Linear(8, 1), nn.Linear(8, 1)
opt = torch.optim.SGD([*model.parameters(), *detector.parameters()], lr=1e-2)
for (x, y), (a, b) in zip(windows, alarms):
    loss = nn.functional.mse_loss(model(x), y) + nn.functional.binary_cross_entropy_with_logits(detector(a), b)
    opt.zero_grad()
    loss.backward()
    opt.step()
