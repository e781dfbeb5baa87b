"""torch.sigmoid in the loop before the functional loss, several labels."""

import torch
import torch.nn.functional as F
from torch import nn


def train_step(model, batch, opt):
    x, y = batch
    prob = torch.sigmoid(model(x))  # <- cause
    loss = F.binary_cross_entropy_with_logits(prob[:, :4], y[:, :4])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.GELU(), nn.Linear(20, 5))
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(16, 10)
    last = train_step(model, (x, (x[:, :5] > 0.5).float()), opt)
print(last)
