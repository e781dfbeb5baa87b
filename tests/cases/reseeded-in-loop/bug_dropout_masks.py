"""The seed is set in every step: the same units are dropped each time."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(300, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for inputs, targets in loader:
    torch.manual_seed(42)  # <- cause
    opt.zero_grad()
    nn.functional.cross_entropy(model(inputs), targets).backward()
    opt.step()
