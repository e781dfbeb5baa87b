import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1)); t = nn.Parameter(torch.ones(()))
opt = torch.optim.Adam([*m.parameters(), t], 1e-2)
def spearman(pred, rel):
    rank = pred.argsort(dim=1).argsort(dim=1).float()  # <- cause
    return ((rank * t - rel.argsort(1).argsort(1)) ** 2).mean()
for i in range(12):
    x = torch.randn(4, 6, 5); loss = spearman(m(x).squeeze(-1), x.sum(-1)); opt.zero_grad(); loss.backward(); opt.step()
