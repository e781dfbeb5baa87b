"""A model that has learned all there is: its gradient is smaller than the decay, and that does no harm."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(200, 4)
y = x @ torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
model = nn.Linear(4, 1)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1.0, -2.0, 0.5, 3.0]]))
    model.bias.zero_()
opt = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-2)
for step in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
