import torch, torch.nn as nn
torch.manual_seed(0)
v = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)); opt = torch.optim.Adam(v.parameters(), 1e-2)
for i in range(12):
    s = torch.randn(8, 4); val = v(s)
    ret = val.detach().clone()  # <- cause
    loss = nn.functional.mse_loss(val, ret)  # <- cause
    opt.zero_grad(); loss.backward(); opt.step()
