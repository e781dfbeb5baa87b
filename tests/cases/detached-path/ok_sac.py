import copy, torch, torch.nn as nn
from torch.distributions import Normal
torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2)); critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)); target = copy.deepcopy(critic)
log_alpha = torch.zeros(1, requires_grad=True)
oa, oc, ol = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 1e-3), torch.optim.Adam([log_alpha], 1e-3)
def pi(s):
    mu, ls = actor(s).chunk(2, 1); d = Normal(mu, ls.clamp(-5, 2).exp()); a = d.rsample(); return torch.tanh(a), (d.log_prob(a) - torch.log(1 - torch.tanh(a) ** 2 + 1e-6)).sum(1, keepdim=True)
for i in range(16):
    s, s2, a, r = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16, 1) * 2 - 1, torch.randn(16, 1)
    with torch.no_grad():
        a2, lp2 = pi(s2); y = r + .99 * (target(torch.cat([s2, a2], 1)) - log_alpha.exp() * lp2)
    lc = (critic(torch.cat([s, a], 1)) - y).pow(2).mean(); oc.zero_grad(); lc.backward(); oc.step()
    a1, lp = pi(s); la = (log_alpha.exp().detach() * lp - critic(torch.cat([s, a1], 1))).mean(); oa.zero_grad(); la.backward(); oa.step()
    ll = -(log_alpha * (lp + 1).detach()).mean(); ol.zero_grad(); ll.backward(); ol.step()
    with torch.no_grad():
        for p, t in zip(critic.parameters(), target.parameters()): t.data.mul_(.995).add_(.005 * p.data)
