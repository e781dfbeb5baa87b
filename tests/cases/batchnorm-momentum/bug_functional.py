"""A layer of the user's own calls batch_norm with the weight of what is kept."""

import torch
import torch.nn.functional as F
from torch import nn


class MyBatchNorm(nn.Module):
    def __init__(self, features, decay=0.95):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))
        self.decay = decay

    def forward(self, x):
        return F.batch_norm(  # <- cause
            x, self.mean, self.var, self.weight, self.bias, training=self.training, momentum=self.decay
        )


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), MyBatchNorm(16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(10, 8), torch.randint(0, 3, (10,))
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
