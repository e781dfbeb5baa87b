"""The target of an autoencoder is its input; that of a student its teacher's output."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
auto = nn.Sequential(nn.Linear(6, 3), nn.Linear(3, 6))
teacher, student = nn.Linear(6, 3), nn.Linear(6, 3)
opt = torch.optim.Adam([*auto.parameters(), *student.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    loss = F.mse_loss(auto(x), x) + F.mse_loss(student(x), teacher(x).detach())
    loss = loss + F.cross_entropy(student(x), teacher(x).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
