"""Two models with an optimizer each: the loss of one is stepped with the optimizer of the other."""
import torch
from torch import nn

torch.manual_seed(0)
coder, critic = nn.Linear(6, 2), nn.Linear(2, 1)
for_coder = torch.optim.SGD(coder.parameters(), lr=0.1)
for_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
for step in range(3):
    codes = torch.randn(16, 2)
    for_critic.zero_grad()
    loss = critic(codes).square().mean()
    scaler.scale(loss).backward()
    scaler.step(for_coder)  # <- cause
    scaler.update()
