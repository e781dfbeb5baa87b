"""torch.sub without out= and .sub without the underscore."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
for _ in range(40):
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    with torch.no_grad():
        torch.sub(model.weight, model.weight.grad, alpha=0.1)  # <- cause
        model.bias.sub(0.1 * model.bias.grad)  # <- cause
