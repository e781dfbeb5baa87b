import torch, torch.nn as nn
torch.manual_seed(0)
def kl(p, q): return (p * (p / q).log()).sum(-1).mean()  # <- cause
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 5)); opt = torch.optim.Adam(m.parameters(), 1e-3); sc = torch.amp.GradScaler("cpu")
for i in range(30):
    x = torch.randn(8, 4); y = torch.randint(0, 5, (8,))
    target = nn.functional.one_hot(y, 5).float(); p = m(x).softmax(-1)
    loss = torch.nan_to_num(kl(target, p)) + nn.functional.nll_loss(p.log(), y)
    opt.zero_grad(); sc.scale(loss).backward(); sc.step(opt); sc.update()
