import torch
from torch import nn

epochs, steps = 90, 9000
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30 * len(loader), gamma=0.1)
slow = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9999)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
far = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1000)
for epoch in range(epochs):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        scheduler.step()
        slow.step()
        cosine.step()
        far.step()

rare = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5)
for step in range(steps):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(next(batches)), 0).backward()
    optimizer.step()
    if step % 1000 == 0:
        rare.step()
