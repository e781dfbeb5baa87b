"""A policy loss with an entropy bonus, a repulsion beside a loss, a similarity, a likelihood that is maximised."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy, a, flow = nn.Linear(4, 3), nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *a.parameters()], lr=1e-2)
climb = torch.optim.SGD(flow.parameters(), lr=1e-2, maximize=True)
for _ in range(12):
    x = torch.randn(32, 4)
    dist = Categorical(logits=policy(x))
    act = dist.sample()
    loss = -(dist.log_prob(act) * (act == 0)).mean() - 0.01 * dist.entropy().mean()
    loss = loss - F.cosine_similarity(a(x), x).mean() - 0.01 * F.mse_loss(a(x), torch.randn(32, 4))
    opt.zero_grad()
    loss.backward()
    opt.step()
    likelihood = F.logsigmoid(flow(x) * x[:, :1].sign()).mean()
    climb.zero_grad()
    likelihood.backward()
    climb.step()
print(loss.item())
