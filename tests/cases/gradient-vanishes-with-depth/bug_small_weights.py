"""normal_(std=0.01) over 64 inputs, eight layers deep."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
layers = [nn.Linear(8, 64), nn.ReLU()]
for _ in range(7):
    layers += [nn.Linear(64, 64), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(64, 2))
for m in model:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.01)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
