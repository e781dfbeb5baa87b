import torch, torch.nn as nn
torch.manual_seed(0)
def init(m):
    if isinstance(m, (nn.Conv2d, nn.BatchNorm2d)): nn.init.zeros_(m.weight)  # <- cause
class B(nn.Module):
    def __init__(s, c): super().__init__(); s.branch = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)); s.branch.apply(init)
    def forward(s, x): return x + s.branch(x)
m = nn.Sequential(nn.Conv2d(1, 4, 3), B(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)); opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(12):
    loss = nn.functional.cross_entropy(m(torch.randn(4, 1, 8, 8)), torch.randint(0, 2, (4,))); opt.zero_grad(); loss.backward(); opt.step()
