"""The discriminator's backward goes through the generator too, whose graph its own loss needs again."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
step_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
step_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)

for step in range(4):
    real = torch.randn(32, 2)
    fake = generator(torch.randn(32, 4))
    loss_real = bce(critic(real), ones)
    loss_fake = bce(critic(fake), zeros)  # <- cause
    step_c.zero_grad()
    (loss_real + loss_fake).backward()
    step_c.step()
    loss_g = bce(critic(fake), ones)
    step_g.zero_grad()
    loss_g.backward()
    step_g.step()
