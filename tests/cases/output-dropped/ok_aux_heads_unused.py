"""An auxiliary head that is computed and not used in this phase, and outputs kept for logging only."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 16)
        self.out = nn.Linear(16, 2)
        self.embedding_norm = nn.Parameter(torch.ones(1), requires_grad=False)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.out(h), h.norm(dim=1) * self.embedding_norm


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
norms = []
for _ in range(12):
    x = torch.randn(16, 6)
    logits, norm = net(x)
    norms.append(norm.mean().item())
    loss = nn.functional.cross_entropy(logits, (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
