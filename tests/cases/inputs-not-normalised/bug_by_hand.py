"""Linear regression by hand: w * x + b with x up to 100."""
import torch

torch.manual_seed(0)
x = torch.arange(0.0, 100.0)  # <- cause
y = 3 * x + 5
w = torch.randn(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=1e-2)
for epoch in range(30):
    loss = ((w * x + b - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
