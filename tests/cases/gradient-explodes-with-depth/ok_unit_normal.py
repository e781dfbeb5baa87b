"""Weights twice too large: the gradients of the first layers are larger, and the network learns."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(),
                      nn.Linear(16, 2))
for m in model:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.5)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
