import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
stats = {}
def collect(p):
    stats[p] = p.grad.norm().item()
    p.grad = None
for p in m.parameters(): p.register_post_accumulate_grad_hook(collect)  # <- cause
for i in range(12):
    x = torch.randn(8, 4); (m(x) - x[:, :1]).pow(2).mean().backward(); opt.step()
