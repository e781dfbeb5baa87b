"""Two auxiliary heads are computed and not used in this phase; a norm is kept for logging only."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 16)
        self.out = nn.Linear(16, 2)
        self.aux = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))
        self.box = nn.Linear(16, 4)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return {"logits": self.out(h), "aux": self.aux(h), "box": self.box(h), "norm": h.norm(dim=1)}


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
norms = []
for _ in range(12):
    x = torch.randn(16, 6)
    result = net(x)
    norms.append(result["norm"].mean().item())
    loss = nn.functional.cross_entropy(result["logits"], (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
