# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))


def loss(out, target):
    return F.cross_entropy(out, target) + 100 * F.mse_loss(out, torch.zeros_like(out) + 3.0)


report = whygrad.check(model, loss, (torch.randn(16, 8), torch.arange(16) % 10))
