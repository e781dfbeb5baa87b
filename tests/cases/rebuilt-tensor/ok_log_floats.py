import torch, torch.nn as nn, numpy as np
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.Adam(m.parameters(), 1e-2); hist = []
for i in range(14):
    x = torch.randn(8, 4); pred = m(x); loss = (pred - x[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    hist.append(loss.detach()); running = torch.FloatTensor(hist).mean(); s = np.array([h.item() for h in hist]).mean()
    w = torch.tensor(float(running)); err = torch.FloatTensor([float(p) for p in pred]).std()
    for g in opt.param_groups: g["lr"] = 1e-2 * min(1.0, float(running) / hist[0].item() + 0.5)
