"""The LSTM wants time first; the batch is put there by view, on data that no parameter lies behind."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(160, 12, 5)
loader = DataLoader(TensorDataset(x, x[:, :, 0].mean(1)), batch_size=32, shuffle=True)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        x = x.view(x.size(1), x.size(0), x.size(2))  # <- cause
        out, _ = self.rnn(x)
        return self.head(out[-1]).squeeze(-1)


model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
print(loss.item())
