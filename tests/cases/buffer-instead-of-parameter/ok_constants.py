"""Sinusoidal positions, a causal mask, rotary tables and dataset statistics: constants."""

import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, dim=8, length=6):
        super().__init__()
        t = torch.arange(length).unsqueeze(1)
        freq = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
        pe = torch.zeros(length, dim)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(t * freq), torch.cos(t * freq)
        self.register_buffer("pe", pe)
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6]))
        self.register_buffer("inv_freq", 1.0 / 1e4 ** (torch.arange(0, dim, 2).float() / dim))
        self.inp = nn.Linear(3, dim)
        self.block = nn.TransformerEncoderLayer(dim, 2, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, 3)

    def forward(self, x):
        angle = torch.outer(torch.arange(x.shape[1]).float(), self.inv_freq)
        h = self.inp(x - self.mean) + self.pe
        h = h * torch.cat([angle.cos(), angle.sin()], -1)
        return self.out(self.block(h, src_mask=self.mask))


model = Model()
opt = torch.optim.Adam(model.parameters(), 1e-3)
x = torch.randn(8, 7, 3).cumsum(1)
for _ in range(12):
    loss = nn.functional.mse_loss(model(x[:, :-1]), x[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
