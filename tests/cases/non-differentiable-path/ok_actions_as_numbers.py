"""Actions leave as Python integers, play an environment and come back for their log-probabilities; counts are logged."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
aux = nn.Linear(3, 2)
opt = torch.optim.Adam([*policy.parameters(), *aux.parameters()], lr=1e-2)
for episode in range(14):
    states, actions, rewards, hits = [], [], [], []
    for _ in range(6):
        s = torch.randn(3)
        a = Categorical(logits=policy(s)).sample().item()
        states.append(s)
        actions.append(a)
        rewards.append(float(a == int(s[0] > 0)))
    x = torch.stack(states)
    ret = torch.tensor(rewards)
    log_prob = Categorical(logits=policy(x)).log_prob(torch.tensor(actions))
    guess = aux(x)
    hits += guess.argmax(1).tolist()
    loss = -(log_prob * (ret - ret.mean())).mean() + nn.functional.cross_entropy(guess, (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    share = torch.tensor(hits).float().mean().item()
