"""A binary loss against the model's own thresholded probabilities."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 6)
    prob = torch.sigmoid(net(x)).squeeze(1)
    target = (prob > 0.5).float()  # <- cause
    loss = F.binary_cross_entropy(prob, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
