"""Task heads in a plain dict, one per task; the loader yields tasks in turn."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)
TASKS = {"colour": 4, "shape": 3}


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.heads = {}  # <- cause
        for task, classes in TASKS.items():
            self.heads[task] = nn.Linear(16, classes)  # <- cause

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


def batches():
    for i in range(24):
        task = list(TASKS)[i % 2]
        yield task, torch.randn(16, 10), torch.randint(0, TASKS[task], (16,))


net = MultiTask()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for task, x, y in batches():
    loss = F.cross_entropy(net(x, task), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
