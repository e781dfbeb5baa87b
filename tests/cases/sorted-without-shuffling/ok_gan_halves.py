"""Batches of one class on purpose: real and fake."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
real = DataLoader(TensorDataset(torch.randn(200, 2) + 2), batch_size=20)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
maker = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
opt_m = torch.optim.Adam(maker.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(2):
    for (batch,) in real:
        ones, zeros = torch.ones(20, 1), torch.zeros(20, 1)
        fake = maker(torch.randn(20, 4))
        opt_c.zero_grad()
        bce(critic(batch), ones).backward()
        bce(critic(fake.detach()), zeros).backward()
        opt_c.step()
        opt_m.zero_grad()
        bce(critic(fake), ones).backward()
        opt_m.step()
