"""REINFORCE with an entropy bonus: log-probabilities are stored with tolist(), so only the entropy is learned."""

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.pi = nn.Linear(16, 3)
        self.v = nn.Linear(4, 1)

    def forward(self, s):
        return self.pi(torch.tanh(self.body(s))), self.v(s)


policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(12):
    log_probs, returns, values = [], [], []
    for _ in range(5):
        s = torch.randn(1, 4)
        logits, v = policy(s)
        dist = Categorical(logits=logits)
        a = dist.sample()
        log_probs.extend(dist.log_prob(a).tolist())  # <- cause
        returns.append(float(a == 0))
        values.append(v.squeeze())
    values, returns = torch.stack(values), torch.tensor(returns)
    advantage = returns - values.detach()
    policy_loss = -(torch.tensor(log_probs) * advantage).sum()  # <- cause
    loss = policy_loss + (returns - values).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
