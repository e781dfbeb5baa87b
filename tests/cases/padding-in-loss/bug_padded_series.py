"""Regression on series of different lengths: pad_sequence fills inputs and targets with zeros."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(3, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


model = Filter()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    series = [torch.randn(k, 3) for k in (60, 9, 7, 12, 5, 14)]
    x = pad_sequence(series, batch_first=True)
    y = pad_sequence([s.cumsum(0)[:, :1] + 1 for s in series], batch_first=True)
    loss = nn.functional.mse_loss(model(x), y)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
