"""Two lists, shuffled one by one with random.shuffle."""
import random

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)
features, answers = [], []
for k in range(240):
    features.append([random.gauss(k % 2, 0.5) for _ in range(5)])
    answers.append(k % 2)
random.shuffle(features)  # <- cause
random.shuffle(answers)  # <- cause
data = list(zip(features, answers))
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for start in range(0, 240, 20):
    part = data[start : start + 20]
    x = torch.tensor([f for f, _ in part])
    y = torch.tensor([[float(a)] for _, a in part])
    opt.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(net(x), y).backward()
    opt.step()
