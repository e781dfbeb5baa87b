"""Time first throughout: the last step is out[-1]; and labels for every step."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 10, 3)
loader = DataLoader(TensorDataset(x, x[..., 0].mean(1)), batch_size=16, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 12, bidirectional=True)
        self.last, self.each = nn.Linear(24, 1), nn.Linear(24, 1)

    def forward(self, x):
        out, (h, _) = self.lstm(x.transpose(0, 1))
        return self.last(out[-1]).squeeze(-1) + h.mean((0, 2)), self.each(out).squeeze(-1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    for xb, yb in loader:
        last, each = model(xb)
        loss = F.mse_loss(last, yb) + F.mse_loss(each, xb[..., 0].t())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
