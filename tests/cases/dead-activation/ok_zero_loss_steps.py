import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)); opt = torch.optim.Adam(m.parameters(), 1e-3)
for i in range(20):
    a, p, n = torch.randn(3, 8, 4).unbind(0); loss = nn.functional.triplet_margin_loss(m(a), m(p), m(n) + (50 if i % 2 else 0)); opt.zero_grad(); loss.backward(); opt.step()
