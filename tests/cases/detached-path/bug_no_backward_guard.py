import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.Adam(m.parameters(), 1e-2)
def compute(x, y):
    pred = m(x).detach()  # <- cause
    return ((pred - y) ** 2).mean()
for i in range(12):
    x = torch.randn(8, 4)
    loss = compute(x, x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
