import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
freeze = 0.0
for i in range(12):
    x = torch.randn(8, 4); opt.zero_grad(); (m(x) - x[:, :1]).pow(2).mean().backward()
    for p in m.parameters():
        p.grad *= freeze  # <- cause
    opt.step()
