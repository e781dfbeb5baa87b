"""The validation loss rises while the training loss falls: that is what the scheduler is for."""
import torch
from torch import nn

torch.manual_seed(6)
x, y = torch.randn(60, 20), torch.randint(0, 2, (60,))
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 2))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1, factor=0.5)
for epoch in range(12):
    for idx in torch.randperm(40).split(8):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
        opt.step()
    with torch.no_grad():
        v = nn.functional.cross_entropy(model(x[40:]), y[40:])
    scheduler.step(v)
