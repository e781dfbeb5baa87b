"""Alternating updates with one optimizer: the encoder is frozen in the first decoder step and stays so."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
        self.dec = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 8))

    def forward(self, x):
        return self.dec(self.enc(x))


def main():
    model = AE()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    x = torch.randn(64, 8)
    for step in range(16):
        if step % 2 == 1:
            model.enc.requires_grad_(False)  # <- cause
        loss = (model(x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
