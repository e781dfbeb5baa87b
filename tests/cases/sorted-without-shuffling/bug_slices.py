"""A loop over slices of data in which all healthy come first."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.cat([torch.randn(300, 6) + 1, torch.randn(300, 6) - 1])
y = torch.cat([torch.zeros(300, 1), torch.ones(300, 1)])
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(4):
    for start in range(0, len(x), 50):
        xb, yb = x[start : start + 50], y[start : start + 50]  # <- cause
        loss = loss_fn(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
