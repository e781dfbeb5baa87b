"""Gradients zeroed in place between backward and step, with a GradScaler."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
for i in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    scaler.scale(loss).backward()
    for group in opt.param_groups:
        for p in group["params"]:
            p.grad.zero_()  # <- cause
    scaler.step(opt)
    scaler.update()
