"""PPO: old log-probabilities, advantages and returns carry no gradient; ratios do."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
for update in range(4):
    obs = torch.randn(64, 4)
    with torch.no_grad():
        dist = Categorical(logits=actor(obs))
        action = dist.sample()
        old = dist.log_prob(action)
        value = critic(obs).squeeze(-1)
    reward = (action == (obs[:, 0] > 0).long()).float()
    advantage = reward - value
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for epoch in range(4):
        for idx in torch.randperm(64).split(32):
            dist = Categorical(logits=actor(obs[idx]))
            ratio = (dist.log_prob(action[idx]) - old[idx]).exp()
            clipped = ratio.clamp(0.8, 1.2)
            policy = -torch.min(ratio * advantage[idx], clipped * advantage[idx]).mean()
            v_loss = (critic(obs[idx]).squeeze(-1) - reward[idx]).pow(2).mean()
            loss = policy + 0.5 * v_loss - 0.01 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            last = loss.detach().item()
