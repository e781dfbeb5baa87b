"""Copies that do not train: deepcopy, an exponential average, a target network, AveragedModel with update_bn."""

import copy

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
ema = copy.deepcopy(model).requires_grad_(False)
target = copy.deepcopy(model)
swa = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = SWALR(optimizer, swa_lr=0.02, anneal_epochs=3)
data = [torch.randn(16, 4) for _ in range(10)]
for step, x in enumerate(data):
    with torch.no_grad():
        wanted = x.sum(1, keepdim=True) + 0.1 * target(x)
    loss = (model(x) - wanted).square().mean() + 0.1 * (model(x) - ema(x)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for average, p in zip(ema.parameters(), model.parameters()):
            average.lerp_(p, 0.1)
        for average, p in zip(ema.buffers(), model.buffers()):
            average.copy_(p)
    if step % 4 == 3:
        target.load_state_dict(model.state_dict())
        swa.update_parameters(model)
        schedule.step()
    print(loss.item())
update_bn(data, swa)
print(swa(data[0]).sum().item(), ema(data[0]).sum().item())
