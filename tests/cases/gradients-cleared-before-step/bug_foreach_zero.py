import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(12):
    x = torch.randn(8, 4); (m(x) - x[:, :1]).pow(2).mean().backward()
    torch._foreach_zero_([p.grad for p in m.parameters()])  # <- cause
    opt.step()
