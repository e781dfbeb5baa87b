"""Adam with accumulation: it goes on training, but each batch counts alike; a warning."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for i in range(30):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 2
    scaler.scale(loss).backward()
    if i % 2 == 1:
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)  # <- cause
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
