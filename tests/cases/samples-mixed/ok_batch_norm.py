# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(), nn.Linear(144, 2))
report = whygrad.check(model, F.cross_entropy, (torch.randn(8, 1, 8, 8), torch.arange(8) % 2))
