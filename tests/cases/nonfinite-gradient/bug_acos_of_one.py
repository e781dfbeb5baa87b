import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class ArcLoss(nn.Module):
    def __init__(s): super().__init__(); s.w = nn.Parameter(torch.randn(3, 4))
    def forward(s, h, y):
        cos = F.normalize(h) @ F.normalize(s.w).t()
        theta = torch.acos(cos.clamp(-1, 1))  # <- cause
        return F.cross_entropy(10 * torch.cos(theta + 0.1), y)
enc = nn.Linear(4, 4); crit = ArcLoss()
with torch.no_grad(): enc.weight.copy_(torch.eye(4)); enc.bias.zero_()
opt = torch.optim.SGD([*enc.parameters(), *crit.parameters()], 0.1)
for i in range(20):
    y = torch.randint(0, 3, (9,)); x = crit.w.detach()[y] * 2.0
    loss = crit(enc(x), y); opt.zero_grad(); loss.backward()
    if all(torch.isfinite(p.grad).all() for p in enc.parameters()): opt.step()
