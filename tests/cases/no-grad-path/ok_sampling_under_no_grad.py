"""Rollouts and a frozen backbone under no_grad; the policy is run again with gradients for the loss."""
import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
policy = nn.Linear(16, 3)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for step in range(20):
    with torch.no_grad():
        obs = backbone(torch.randn(32, 6))
        action = torch.distributions.Categorical(logits=policy(obs)).sample()
        reward = (action == 1).float()
    log_prob = torch.distributions.Categorical(logits=policy(obs)).log_prob(action)
    loss = -(log_prob * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
