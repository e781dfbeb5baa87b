"""A rotation matrix made of parameters with torch.tensor."""
import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class Rigid(nn.Module):
    def __init__(self):
        super().__init__()
        self.angle = nn.Parameter(torch.tensor(0.1))
        self.shift = nn.Parameter(torch.zeros(2))

    def forward(self, points):
        c, s = torch.cos(self.angle), torch.sin(self.angle)
        rotation = torch.tensor([[c, -s], [s, c]])  # <- cause
        return points @ rotation.T + self.shift


goal = math.radians(40)
R = torch.tensor([[math.cos(goal), -math.sin(goal)], [math.sin(goal), math.cos(goal)]])
points = torch.randn(50, 2)
target = points @ R.T + torch.tensor([0.5, -0.2])
model = Rigid()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(20):
    loss = (model(points) - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
