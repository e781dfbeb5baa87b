"""The inputs are shuffled, the labels are not; the rest is a loop over slices."""
import torch
import torch.nn as nn

torch.manual_seed(0)
means = 2 * torch.randn(3, 7)
labels = torch.randint(0, 3, (240,))
points = means[labels] + torch.randn(240, 7)
order = torch.randperm(240)
points = points[order]  # <- cause
net = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    for i in range(0, 240, 24):
        loss = criterion(net(points[i : i + 24]), labels[i : i + 24])
        opt.zero_grad()
        loss.backward()
        opt.step()
