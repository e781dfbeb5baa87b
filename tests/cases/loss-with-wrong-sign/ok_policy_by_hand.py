"""Log-probabilities of sampled actions times a cost, an entropy bonus, and a likelihood that is negated at the end."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
rule = torch.randn(6, 4)
policy, imitator = nn.Linear(6, 4), nn.Linear(6, 4)
optimizer = torch.optim.Adam([*policy.parameters(), *imitator.parameters()], lr=5e-3)
for _ in range(12):
    x = torch.randn(32, 6)
    probabilities = torch.softmax(policy(x), 1)
    action = torch.multinomial(probabilities, 1).squeeze(1)
    cost = ((x @ rule).argmax(1) != action).float()
    chosen = (F.one_hot(action, 4) * torch.log(probabilities + 1e-8)).sum(1)
    entropy = -(probabilities * torch.log(probabilities + 1e-8)).sum(1).mean()
    optimizer.zero_grad()
    ((chosen * (cost - cost.mean())).mean() - 0.01 * entropy).backward()
    likelihood = F.log_softmax(imitator(x), 1).gather(1, (x @ rule).argmax(1, keepdim=True)).mean()
    (-likelihood).backward()
    optimizer.step()
