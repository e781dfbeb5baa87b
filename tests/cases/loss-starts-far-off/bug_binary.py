# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 1))
batch = 255 * torch.rand(16, 8), (torch.arange(16) % 2).float()[:, None]
report = whygrad.check(model, F.binary_cross_entropy_with_logits, batch)  # <- cause
