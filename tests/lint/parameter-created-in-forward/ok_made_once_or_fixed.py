import torch
import torch.nn as nn
import torch.nn.functional as F


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = None

    def build(self, width):
        self.fc = nn.Linear(width, 2)

    def forward(self, x):
        if self.fc is None:
            self.build(x.shape[1])
        x = F.layer_norm(x, x.shape[1:])
        x = nn.LayerNorm(x.shape[1:], elementwise_affine=False)(x)
        return self.fc(nn.Dropout(0.1)(x))


class RandomProjection(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        with torch.no_grad():
            features = nn.Linear(x.shape[1], 8)(x)
        mask = nn.Parameter(torch.ones(8), requires_grad=False)
        return self.out(features * mask)
