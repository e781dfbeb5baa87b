# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.scale, self.out = nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.out(self.mean(x) + self.scale(x).exp() * torch.randn(len(x), 4))


report = whygrad.check(Noisy(), F.cross_entropy, (torch.randn(8, 6), torch.arange(8) % 2))
