"""The decoder lives two plain objects deep."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Projection:  # <- cause
    def __init__(self, a, b):
        self.linear = nn.Linear(a, b)  # <- cause

    def __call__(self, x):
        return self.linear(x)


class Decoder:  # <- cause
    def __init__(self, hidden, out):
        self.up = Projection(hidden, 2 * hidden)  # <- cause
        self.out = Projection(2 * hidden, out)  # <- cause

    def decode(self, z):
        return self.out(torch.tanh(self.up(z)))


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 6), nn.Tanh())
        self.decoder = Decoder(6, 12)  # <- cause

    def forward(self, x):
        return self.decoder.decode(self.encoder(x))


model = AutoEncoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(40, 12)
for i in range(12):
    loss = ((model(x) - x) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
