"""step, zero_grad, then clipping; the loss is a sum, and explodes."""

import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.GRU(3, 12, batch_first=True)
head = nn.Linear(12, 1)
params = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(params, lr=0.005, momentum=0.9)
for _ in range(15):
    x = torch.randn(16, 8, 3)
    out, _ = rnn(x)
    loss = ((head(out[:, -1]) - x.sum((1, 2), keepdim=True)[:, 0]) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(params, 0.5)  # <- cause
