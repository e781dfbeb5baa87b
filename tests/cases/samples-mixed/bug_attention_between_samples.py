# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(6, 6) for _ in range(3))

    def forward(self, x):  # <- cause
        weights = (self.q(x) @ self.k(x).t() / 6 ** 0.5).softmax(1)
        return weights @ self.v(x)


model = nn.Sequential(nn.Linear(6, 6), Attend(), nn.Linear(6, 2))
report = whygrad.check(model, F.cross_entropy, (torch.randn(8, 6), torch.arange(8) % 2))
