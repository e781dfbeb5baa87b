# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))
loss = nn.CrossEntropyLoss(reduction="sum")
report = whygrad.check(model, loss, (torch.randn(64, 8), torch.arange(64) % 10))
