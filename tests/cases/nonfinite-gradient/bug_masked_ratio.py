"""0/0 for rows without a valid entry; the rows are dropped only after the division."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def masked_mean(values, mask):
    return (values * mask).sum(1) / mask.sum(1)  # <- cause


x = torch.randn(24, 10, 3)
mask = (torch.rand(24, 10) > 0.3).float()
mask[5] = 0
target = torch.randn(24)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")
for epoch in range(30):
    pred = masked_mean(model(x).squeeze(-1), mask)
    loss = (pred - target).pow(2)
    loss = torch.nan_to_num(loss).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
