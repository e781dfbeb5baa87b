"""Other observers at work at the same time: the profiler, anomaly detection, forward hooks on all modules."""

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_parameter_registration_hook
from torch.profiler import ProfilerActivity, profile, record_function

torch.manual_seed(1)
registered, shapes = [], []
naming = register_module_parameter_registration_hook(lambda module, name, p: registered.append(name))
watching = register_module_forward_hook(lambda module, args, out: shapes.append(tuple(out.shape)))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
with profile(activities=[ProfilerActivity.CPU]) as profiler, torch.autograd.detect_anomaly(check_nan=True):
    for step in range(4):
        x = torch.randn(16, 4)
        with record_function("forward"):
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
naming.remove()
watching.remove()
print(registered, len(shapes), [e.count for e in profiler.key_averages() if e.key == "forward"])
del profiler
