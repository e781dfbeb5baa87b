"""A table: attention between columns, then between the rows of the batch on purpose; and a set of points."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Table(nn.Module):
    def __init__(self, columns=6, width=8):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(columns, width))
        self.names = nn.Parameter(torch.randn(columns, width))
        self.columns = nn.TransformerEncoderLayer(width, 2, 16, batch_first=True)
        self.rows = nn.TransformerEncoderLayer(width, 2, 16, batch_first=True)
        self.between = nn.MultiheadAttention(columns * width, 2, batch_first=True)
        self.head = nn.Linear(columns * width, 1)
        self.other = nn.Linear(width, 1)

    def forward(self, x):
        x = x.unsqueeze(-1) * self.weight + self.names
        x = self.columns(x)
        x = self.rows(x.transpose(0, 1)).transpose(0, 1)
        flat = x.flatten(1).unsqueeze(0)
        flat = flat + self.between(flat, flat, flat)[0]
        return self.head(flat[0]).squeeze(1) + self.other(x[:, 0]).squeeze(1)


model = Table()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(20, 6)
    loss = F.mse_loss(model(x), x.sum(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
