# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 8)

    def forward(self, x):  # <- cause
        return self.embed(x).cumsum(0).mean(1)


model = nn.Sequential(Running(), nn.Linear(8, 2))
report = whygrad.check(model, F.cross_entropy, (torch.randn(8, 5, 3), torch.arange(8) % 2))
