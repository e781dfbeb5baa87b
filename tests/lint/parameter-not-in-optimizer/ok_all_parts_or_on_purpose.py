import torch
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 4), nn.ReLU())
        self.decoder = nn.Linear(4, 16)

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = AutoEncoder()
first = torch.optim.Adam(model.encoder.parameters(), lr=1e-3)
second = torch.optim.SGD(model.decoder.parameters(), lr=1e-2)
for x in loader:
    first.zero_grad()
    second.zero_grad()
    nn.functional.mse_loss(model(x), x).backward()
    first.step()
    second.step()
