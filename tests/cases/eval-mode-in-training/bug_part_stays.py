"""After validation only the decoder is switched back."""

import torch
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 10))

    def forward(self, x):
        return self.decoder(self.encoder(x))


torch.manual_seed(0)
data = torch.randn(64, 10) * 3 + 1
model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _epoch in range(4):
    for i in range(0, 48, 12):
        batch = data[i : i + 12]
        optimizer.zero_grad()
        nn.functional.mse_loss(model(batch), batch).backward()
        optimizer.step()
    model.eval()  # <- cause
    with torch.no_grad():
        print(nn.functional.mse_loss(model(data[48:]), data[48:]).item())
    model.decoder.train()  # <- cause
