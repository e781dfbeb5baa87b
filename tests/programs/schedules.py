"""Schedulers of many kinds, one after another and chained, and one that watches the loss."""

import warnings

import torch
from torch import nn
from torch.optim import lr_scheduler as schedulers

warnings.filterwarnings("ignore")
torch.manual_seed(1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for make in (
    lambda o: schedulers.OneCycleLR(o, max_lr=0.1, total_steps=12),
    lambda o: schedulers.SequentialLR(
        o, [schedulers.LinearLR(o, 0.1, total_iters=4), schedulers.ExponentialLR(o, 0.95)], milestones=[4]
    ),
    lambda o: schedulers.CosineAnnealingWarmRestarts(o, T_0=4),
    lambda o: schedulers.ReduceLROnPlateau(o, patience=2),
    lambda o: schedulers.CyclicLR(o, 0.01, 0.1, step_size_up=3, cycle_momentum=True),
    lambda o: schedulers.ChainedScheduler([schedulers.ConstantLR(o, 0.5, 3), schedulers.MultiStepLR(o, [6])]),
):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
    scheduler = make(optimizer)
    for step in range(11):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if isinstance(scheduler, schedulers.ReduceLROnPlateau):
            scheduler.step(loss.item())
        else:
            scheduler.step()
    print(type(scheduler).__name__, loss.item(), optimizer.param_groups[0]["lr"])
