# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))
report = whygrad.check(model, F.cross_entropy, (torch.randn(16, 8), torch.arange(16) % 10))
