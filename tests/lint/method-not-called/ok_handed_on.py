import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
hooks = [optimizer.zero_grad, model.train]
step = optimizer.step
for x, y in loader:
    for hook in hooks:
        hook()
    nn.functional.mse_loss(model(x), y).backward()
    step()
print(model.training)
counter.step
