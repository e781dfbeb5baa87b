# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10), nn.Linear(10, 10, bias=False))
nn.init.normal_(model[4].weight, std=30.0)
report = whygrad.check(model, F.cross_entropy, (torch.randn(16, 8, 8), torch.arange(16) % 10))  # <- cause
