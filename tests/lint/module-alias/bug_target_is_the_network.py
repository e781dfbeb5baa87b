import torch
from torch import nn


class Agent:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.q_target = self.q  # <- cause
        self.opt = torch.optim.Adam(self.q.parameters())

    def sync(self):
        self.q_target.load_state_dict(self.q.state_dict())
