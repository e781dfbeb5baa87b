"""A float16 table beside a float32 body: the table never changes."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Recommender(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = nn.Embedding(n, dim, dtype=torch.bfloat16)  # <- cause
        nn.init.constant_(self.table.weight, 2.0)
        self.out = nn.Linear(dim, 1)

    def forward(self, ids):
        return self.out(self.table(ids).float())


net = Recommender(10, 4)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)  # <- cause
ids = torch.arange(10).repeat(4)
for _ in range(12):
    loss = (net(ids).squeeze(1) - (ids % 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
