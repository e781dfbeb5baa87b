# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
report = whygrad.check(model, F.cross_entropy, (torch.randn(8, 6), torch.arange(8) % 2), gradcheck=True)
