import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2)
x = torch.randn(60, 4)
y = x @ torch.tensor([[1.0], [2.0], [0.0], [-1.0]])
best, wait, state = 1e9, 0, None
for epoch in range(20):
    for i in torch.randperm(60).split(20):
        loss = (net(x[i]) - y[i]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        val = (net(x) - y).pow(2).mean().item()
    sched.step(val)
    if val < best:
        best, wait, state = val, 0, copy.deepcopy(net.state_dict())
    else:
        wait += 1
        if wait > 3:
            break
net.load_state_dict(state)
