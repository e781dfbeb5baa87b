# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
batch = torch.randn(16, 8), torch.randn(16, 1)
with torch.no_grad():
    model[2].weight.mul_(100)
report = whygrad.check(model, F.mse_loss, batch)  # <- cause
