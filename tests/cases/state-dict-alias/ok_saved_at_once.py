"""A checkpoint that is written in each epoch, kept in a variable, and read back from the file."""
import io

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))

model = nn.Linear(6, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
best, file = 1e9, io.BytesIO()
for epoch in range(6):
    for idx in torch.randperm(60).split(12):
        opt.zero_grad()
        F.cross_entropy(model(x[idx]), y[idx]).backward()
        opt.step()
    with torch.no_grad():
        val = F.cross_entropy(model(x[60:]), y[60:]).item()
    checkpoint = {"epoch": epoch, "model": model.state_dict(), "optimizer": opt.state_dict()}
    if val < best:
        best, file = val, io.BytesIO()
        torch.save(checkpoint, file)
file.seek(0)
checkpoint = torch.load(file)
model.load_state_dict(checkpoint["model"])
opt.load_state_dict(checkpoint["optimizer"])
