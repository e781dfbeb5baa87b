"""next(iter(loader)) in the loop: always the first batch."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(300, 5)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=20)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    inputs, targets = next(iter(loader))  # <- cause
    loss = nn.functional.cross_entropy(model(inputs), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
