"""The discriminator is stepped between the forward pass of the generator's loss and its backward."""
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
    real = torch.randn(32, 2) * 0.3 + 1
    fake = generator(torch.randn(32, 4))
    loss_g = bce(critic(fake), ones)
    loss_c = bce(critic(real), ones) + bce(critic(fake.detach()), zeros)
    step_c.zero_grad()
    loss_c.backward()
    step_c.step()  # <- cause
    step_g.zero_grad()
    loss_g.backward()
    step_g.step()
