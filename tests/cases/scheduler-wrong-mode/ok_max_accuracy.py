"""The accuracy with mode="max"."""
import torch
from torch import nn

torch.manual_seed(5)
c = 2 * torch.randn(4, 8)
y = torch.randint(0, 4, (200,))
x = c[y] + torch.randn(200, 8)
model = nn.Linear(8, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="max", patience=1)
for epoch in range(10):
    for idx in torch.randperm(160).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
        opt.step()
    with torch.no_grad():
        acc = (model(x[160:]).argmax(1) == y[160:]).float().mean()
    scheduler.step(acc)
