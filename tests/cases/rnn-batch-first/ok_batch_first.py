"""Batch first throughout, with as many samples as time steps, in every usual way to read the output."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(100, 10, 3)
loader = DataLoader(TensorDataset(x, x[..., 0].mean(1)), batch_size=10, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 12, batch_first=True)
        self.attention, self.out = nn.Linear(12, 1), nn.Linear(12, 1)

    def forward(self, x):
        out, h = self.gru(x)
        weights = self.attention(out).softmax(1)
        rows = torch.arange(len(x))
        pooled = (
            (weights * out).sum(1) + out[:, -1] + h[-1] + out.mean(1) + out[rows, torch.full_like(rows, 4)]
        )
        return self.out(pooled).squeeze(-1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for xb, yb in loader:
    loss = F.smooth_l1_loss(model(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
