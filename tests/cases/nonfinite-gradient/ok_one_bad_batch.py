"""A batch now and then has a NaN loss and is left out by the loop."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    x = torch.randn(16, 4)
    if step % 5 == 2:
        x[0, 0] = float("nan")
    loss = nn.functional.mse_loss(model(x), torch.ones(16, 1))
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if torch.isfinite(norm):
        opt.step()
