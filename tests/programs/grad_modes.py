"""Every way to switch autograd off and on again, around an evaluation, in generators, as decorators, re-entered."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


@torch.no_grad()
def evaluate(x):
    return model(x).mean().item()


@torch.inference_mode()
def infer(x):
    return model(x).sum().item()


@torch.no_grad
def batches(n):
    for _ in range(n):
        yield torch.randn(16, 4)


guard = torch.no_grad()
for x in batches(8):
    print(torch.is_grad_enabled(), evaluate(x), infer(x))
    with guard, torch.enable_grad():
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    previous = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    model(x)
    torch.set_grad_enabled(previous)
    with torch.inference_mode(), torch.inference_mode(False):
        pass
    try:
        with torch.no_grad():
            raise KeyError
    except KeyError:
        print(torch.is_grad_enabled(), loss.item())
