"""Weights that start enormous: float32 sigmoid is exactly 0 or 1."""
import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.Linear(16, 8)
nn.init.normal_(encoder.weight, std=1e8)
decoder = nn.Linear(8, 1)
opt = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for step in range(15):
    pixels = torch.randint(0, 256, (16, 16)).float() / 255
    hidden = torch.sigmoid(encoder(pixels))  # <- cause
    loss = nn.functional.mse_loss(decoder(hidden), pixels.mean(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
