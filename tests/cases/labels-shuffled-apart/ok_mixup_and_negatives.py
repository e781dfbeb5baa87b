"""A permutation of the batch: for mixup, and for pairs that do not belong together."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
z = torch.randn(200, 6)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
judge = nn.Linear(12, 1)
opt = torch.optim.Adam([*model.parameters(), *judge.parameters()], lr=1e-3)
fits = torch.cat([torch.ones(20, 1), torch.zeros(20, 1)])
for xb, yb, zb in DataLoader(TensorDataset(x, y, z), batch_size=20, shuffle=True):
    perm = torch.randperm(20)
    mixed = 0.7 * xb + 0.3 * xb[perm]
    scores = model(mixed)
    loss = 0.7 * nn.functional.cross_entropy(scores, yb) + 0.3 * nn.functional.cross_entropy(scores, yb[perm])
    pairs = torch.cat([torch.cat([xb, zb], 1), torch.cat([xb, zb[torch.randperm(20)]], 1)])
    loss = loss + nn.functional.binary_cross_entropy_with_logits(judge(pairs), fits)
    opt.zero_grad()
    loss.backward()
    opt.step()
