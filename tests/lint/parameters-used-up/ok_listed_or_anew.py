import torch
from torch import nn

model = nn.Linear(4, 1)
params = list(model.parameters())
print(sum(p.numel() for p in params))
optimizer = torch.optim.Adam(params, lr=1e-3)
print(sum(p.numel() for p in model.parameters()))
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

others = model.parameters()
first = torch.optim.Adam(others, lr=1e-3)
others = model.parameters()
second = torch.optim.SGD(others, lr=1e-3)


def pick(model, kind):
    params = model.parameters()
    if kind == "adam":
        return torch.optim.Adam(params)
    return torch.optim.SGD(params, lr=0.1)
