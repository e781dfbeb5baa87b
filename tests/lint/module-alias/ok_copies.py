import copy

import torch
from torch import nn


class Agent:
    def __init__(self, teacher):
        self.q = nn.Linear(4, 2)
        self.q_target = copy.deepcopy(self.q)
        self.teacher = teacher
        self.opt = torch.optim.Adam(self.q.parameters())

    def sync(self):
        self.q_target.load_state_dict(self.q.state_dict())
