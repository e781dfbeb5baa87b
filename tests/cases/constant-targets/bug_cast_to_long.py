"""Scores between 0 and 1 become labels by .long(): all of them are 0."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(320, 5)
score = torch.sigmoid(x.sum(1))
label = score.long()  # <- cause
loader = DataLoader(TensorDataset(x, label), batch_size=32, shuffle=True)
model, criterion = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2)), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for xb, yb in loader:
    optimizer.zero_grad()
    loss = criterion(model(xb), yb)
    loss.backward()
    optimizer.step()
