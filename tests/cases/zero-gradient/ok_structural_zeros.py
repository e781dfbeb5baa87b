"""Zero gradients that are nobody's fault: a critic's bias, a layer applied to zeros, an energy's bias, an rsample's mean."""
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.Tanh())
        self.skip = nn.Linear(16, 16, bias=True)
        self.out = nn.Linear(16, 1)

    def forward(self, x, state):
        return self.out(self.body(x) + self.skip(state))


critic = Critic()
sampler = nn.Linear(3, 2)
opt = torch.optim.RMSprop([*critic.parameters(), *sampler.parameters()], lr=1e-3)
for step in range(15):
    x = torch.randn(16, 3)
    state = torch.zeros(16, 16)
    mean, log_std = sampler(x).unbind(1)
    dist = Normal(mean, log_std.exp())
    z = dist.rsample()
    entropy_term = dist.log_prob(z).mean()
    fake = torch.stack([z, z, mean], 1)
    loss = critic(fake, state).mean() - critic(x, state).mean() + 0.01 * entropy_term
    opt.zero_grad()
    loss.backward()
    opt.step()
