# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx, g):
        return g * ctx.by, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.b(Scaled.apply(self.a(x), 3.0))


report = whygrad.check(Net(), F.cross_entropy, (torch.randn(8, 6), torch.arange(8) % 2), gradcheck=True)
