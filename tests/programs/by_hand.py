"""Updates by hand: in place under no_grad, through .data, and with gradients zeroed in place."""

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Sigmoid(), torch.nn.Linear(8, 1))
scale = torch.ones(1, requires_grad=True)
x = torch.randn(32, 3)
y = x.prod(1, keepdim=True)
for step in range(12):
    loss = torch.nn.functional.mse_loss(model(x) * scale, y)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad.zero_()
    scale.data = scale.data - 0.1 * scale.grad
    scale.grad = None
    print(loss.item(), scale.item())
