import torch
import torch.nn as nn

torch.manual_seed(0)


class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(1))
        self.v = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def dist(self, s):
        return torch.distributions.Normal(self.pi(s), self.log_std.exp())


ac = AC()
opt = torch.optim.Adam(ac.parameters(), 3e-3)
for update in range(4):
    with torch.no_grad():
        s = torch.randn(64, 3)
        d = ac.dist(s)
        a = d.sample()
        old = d.log_prob(a)
        r = -(a - s[:, :1]).pow(2)
        adv = r - ac.v(s)
        ret = r
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(4):
        for i in torch.randperm(64).split(32):
            d = ac.dist(s[i])
            ratio = (d.log_prob(a[i]) - old[i]).exp()
            l = (
                -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean()
                + 0.5 * (ac.v(s[i]) - ret[i]).pow(2).mean()
                - 0.01 * d.entropy().mean()
            )
            opt.zero_grad()
            l.backward()
            nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
            opt.step()
