"""eps=100 was meant to be 1e-8: the steps are a millionth of the weights."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(200, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3, eps=100.0)  # <- cause
for step in range(20):
    i = torch.randint(0, 200, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
