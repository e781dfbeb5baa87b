import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), 0.1)
def masked_l1(p, t):
    valid = t > 1e3  # <- cause
    err = (p - t).abs()
    return torch.where(valid, err, torch.zeros_like(err)).mean()  # <- cause
for i in range(12):
    x = torch.randn(8, 4); loss = masked_l1(m(x), x[:, :1]); opt.zero_grad(); loss.backward(); opt.step()
