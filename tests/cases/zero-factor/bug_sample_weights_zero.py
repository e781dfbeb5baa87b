"""Sample weights computed as integers: all zero."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 5)
y = (x[:, 0] > 1).long()
counts = torch.bincount(y, minlength=2)
weights = (1 / counts).long()[y]  # <- cause
loader = DataLoader(TensorDataset(x, y, weights.float()), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss(reduction="none")
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb, wb in loader:
        loss = (criterion(model(xb), yb) * wb).mean()  # <- cause
        opt.zero_grad()
        loss.backward()
        opt.step()
