"""The generator's own loss is computed on the detached fake images that the critic step used."""
import torch
import torch.nn as nn

torch.manual_seed(0)

gen = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-4)


def critic_step(real):
    fake = gen(torch.randn(real.shape[0], 4)).detach()  # <- cause
    loss = critic(fake).mean() - critic(real).mean()
    opt_c.zero_grad()
    loss.backward()
    opt_c.step()
    for p in critic.parameters():
        p.data.clamp_(-0.05, 0.05)
    return fake


def generator_step(fake):
    loss = -critic(fake).mean()  # <- cause
    opt_g.zero_grad()
    loss.backward()
    opt_g.step()


for it in range(20):
    real = torch.randn(32, 2) * 0.2 + 1
    fake = critic_step(real)
    generator_step(fake)
