import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 64), nn.ReLU())
for p in backbone.parameters():
    p.requires_grad = False
head = nn.Linear(64, 2)
model = nn.Sequential(backbone, head)
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), 1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
