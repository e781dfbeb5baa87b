"""torch.compile on a module, on a function, as a decorator and through Module.compile."""

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
tail = torch.nn.Linear(1, 1)
compiled = torch.compile(model, backend="eager")
tail.compile(backend="eager")


@torch.compile(backend="eager")
def criterion(a, b):
    return (a - b).square().mean()


optimizer = torch.optim.SGD([*compiled.parameters(), *tail.parameters()], lr=0.05)
for step in range(6):
    x = torch.randn(16, 4)
    loss = criterion(tail(compiled(x)), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
