"""A helper sets p.grad = None for memory's sake right after backward."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def backward(loss, params):
    loss.backward()
    total = sum(p.grad.pow(2).sum() for p in params if p.grad is not None).sqrt().item()
    for p in params:
        p.grad = None  # <- cause
    return total


model = nn.GRU(3, 8, batch_first=True)
head = nn.Linear(8, 1)
params = [*model.parameters(), *head.parameters()]
opt = torch.optim.SGD(params, lr=0.1, momentum=0.9)
for i in range(15):
    x = torch.randn(8, 5, 3)
    out, _ = model(x)
    loss = (head(out[:, -1]) - x.sum((1, 2))[:, None]).pow(2).mean()
    norm = backward(loss, params)
    opt.step()
