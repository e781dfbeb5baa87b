import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(3, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, s):
        return Normal(self.mu(s), self.log_std.exp())


actor, critic = Actor(), nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 1e-2)
for ep in range(12):
    lps, vals, rews = [], [], []
    for t in range(5):
        s = torch.randn(3)
        d = actor(s)
        a = d.sample()
        lps.append(float(d.log_prob(a)))
        vals.append(critic(s))
        rews.append(-float((a - s[0]) ** 2))  # <- cause
    vals = torch.cat(vals)
    rews = torch.tensor(rews)
    adv = rews - vals
    loss = -(torch.tensor(lps) * adv.detach()).mean() + adv.pow(2).mean()  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
