"""A teacher, an EMA copy and a target network are frozen whole; they were made after the student."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))


agent = Agent()
agent.target = copy.deepcopy(agent.online)
agent.prior = nn.Linear(4, 3)
agent.target.requires_grad_(False)
for p in agent.prior.parameters():
    p.requires_grad = False
opt = torch.optim.Adam(agent.online.parameters(), 1e-2)
for step in range(12):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    q = agent.online(s) + agent.prior(s)
    goal = 0.9 * agent.target(s2) + s[:, :3]
    loss = F.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(agent.target.parameters(), agent.online.parameters()):
            a.lerp_(b, 0.05)
