"""A ReLU before the loss with logits: the model can't say no."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(12, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
    nn.ReLU(),  # <- cause
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 12)
    loss = nn.BCEWithLogitsLoss()(net(x).squeeze(1), (x[:, 0] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
