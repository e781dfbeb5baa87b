import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)); opt = torch.optim.Adam(m.parameters(), 1e-3)
floor = torch.full((1,), 10.0)
for i in range(12):
    x = torch.randn(16, 3); sigma = torch.maximum(m(x), floor)  # <- cause
    loss = (sigma.log() + x[:, :1] ** 2 / sigma ** 2).mean(); opt.zero_grad(); loss.backward(); opt.step()
