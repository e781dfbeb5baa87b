"""eps=0.1 as it is advised for some image models, with a rate to match."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(200, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=0.05, eps=0.1)
for step in range(20):
    i = torch.randint(0, 200, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
