"""The whole model runs in double; one Parameter is converted after it was wrapped."""

import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float32)


class RBF(nn.Module):
    def __init__(self, centres, dim):
        super().__init__()
        self.centres = nn.Parameter(
            torch.randn(centres, dim)
        ).double()  # <- cause
        self.log_width = nn.Parameter(torch.zeros(centres, dtype=torch.float64))
        self.weight = nn.Linear(centres, 1, dtype=torch.float64)

    def forward(self, x):
        d = torch.cdist(x, self.centres)
        return self.weight(torch.exp(-d * self.log_width.exp()))


model = RBF(7, 2)
x = torch.randn(60, 2, dtype=torch.float64)
y = torch.sin(x[:, :1])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(12):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
