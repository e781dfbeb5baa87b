"""The position in the data is never moved on."""
import torch
import torch.nn as nn

torch.manual_seed(0)
tokens = torch.randint(0, 30, (2000,))
model = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 30))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
position, length = 0, 64
for step in range(15):
    inputs = tokens[position : position + length]  # <- cause
    targets = tokens[position + 1 : position + length + 1]  # <- cause
    loss = nn.functional.cross_entropy(model(inputs), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
