"""The prediction goes through NumPy (an exponential moving average over time) before the loss."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)


class Smoother(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 10, batch_first=True)
        self.out = nn.Linear(10, 1)
        self.offset = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        raw = self.out(self.rnn(x)[0]).squeeze(-1)
        values = raw.detach().numpy()  # <- cause
        smooth = np.zeros_like(values)
        state = values[:, 0]
        for t in range(values.shape[1]):
            state = 0.7 * state + 0.3 * values[:, t]
            smooth[:, t] = state
        return torch.from_numpy(smooth) + self.offset  # <- cause


model = Smoother()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(8, 6, 3)
y = x.cumsum(1)[..., 0]
for _ in range(12):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
