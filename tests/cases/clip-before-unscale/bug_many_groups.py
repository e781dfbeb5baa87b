import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD([{"params": m[0].parameters(), "lr": 1e-2}, {"params": m[2].parameters(), "lr": 1e-3}], momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
for i in range(14):
    x = torch.randn(8, 4); loss = (m(x) - x[:, :1]).abs().mean(); opt.zero_grad(); scaler.scale(loss).backward()
    for g in opt.param_groups:
        torch.nn.utils.clip_grad_norm_(g["params"], 1.0)  # <- cause
    scaler.step(opt); scaler.update()
