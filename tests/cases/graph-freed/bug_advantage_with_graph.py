"""The advantage of an actor-critic brings the graph of the critic, whose backward has freed it."""
import torch
from torch import nn

torch.manual_seed(0)

actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
oa, oc = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
for i in range(3):
    s, r = torch.randn(6, 4), torch.randn(6, 1)
    adv = r - critic(s)
    oc.zero_grad()
    adv.pow(2).mean().backward()
    oc.step()
    logp = torch.log_softmax(actor(s), -1)[:, :1]
    la = -(logp * adv).mean()  # <- cause
    oa.zero_grad()
    la.backward()
    oa.step()
