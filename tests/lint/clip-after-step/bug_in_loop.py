import torch
from torch import nn

model = nn.LSTM(4, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x)[0], y)
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- cause
