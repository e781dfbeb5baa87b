"""An auxiliary head in the optimizer that is only logged in this phase; the batches are made from lists."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.cls, self.quality = nn.Linear(4, 12), nn.Linear(12, 2), nn.Linear(12, 1)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.cls(h), self.quality(h)


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
log = []
for _ in range(12):
    x = torch.tensor(rng.normal(size=(16, 4)).tolist())
    y = torch.as_tensor((x[:, 0] > 0).long().tolist())
    logits, quality = net(x)
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append((loss.item(), quality.mean().item()))
