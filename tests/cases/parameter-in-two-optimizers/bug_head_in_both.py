import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(6, 12), nn.Linear(12, 2)
model = nn.Sequential(body, nn.ReLU(), head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <- cause
head_optimizer = torch.optim.SGD(head.parameters(), lr=0.5)  # <- cause
for step in range(15):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    head_optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()).backward()
    optimizer.step()
    head_optimizer.step()
