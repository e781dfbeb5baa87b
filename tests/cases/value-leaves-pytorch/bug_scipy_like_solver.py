"""A solver written in numpy stands between network and loss."""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)


def solve(a, b):
    return np.linalg.solve(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)


class Implicit(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 9)
        self.read = nn.Linear(3, 1)

    def forward(self, x):
        m = self.net(x).view(-1, 3, 3) + 3 * torch.eye(3)
        rhs = np.ones((len(x), 3, 1), dtype=np.float32)
        z = solve(m.detach().cpu().numpy(), rhs)  # <- cause
        return self.read(torch.tensor(z).squeeze(-1))  # <- cause


model = Implicit()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
