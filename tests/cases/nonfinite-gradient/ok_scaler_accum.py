import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(m.parameters(), .1, momentum=.9); sc = torch.amp.GradScaler("cpu", init_scale=2.**30, growth_interval=4)
for i in range(40):
    x = torch.randn(8, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16): loss = (m(x).float() - x[:, :1]).pow(2).mean() / 2
    sc.scale(loss).backward()
    if i % 2:
        sc.unscale_(opt); nn.utils.clip_grad_norm_(m.parameters(), 1.); sc.step(opt); sc.update(); opt.zero_grad(set_to_none=True)
