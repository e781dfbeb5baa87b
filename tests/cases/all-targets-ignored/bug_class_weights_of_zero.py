"""Class weights of zero for every class that occurs."""
import torch
import torch.nn as nn

torch.manual_seed(0)
class_weights = torch.tensor([1.0, 0.0, 0.0])  # <- cause
model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    x, y = torch.randn(16, 4), torch.randint(1, 3, (16,))
    loss = nn.functional.cross_entropy(model(x), y, weight=class_weights, reduction="sum")  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
