"""numpy.random.seed in the loop: the same rows in every step."""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
x = np.random.default_rng(0).standard_normal((300, 6)).astype(np.float32)
y = x.sum(1, keepdims=True)
model = nn.Linear(6, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(15):
    np.random.seed(0)  # <- cause
    rows = np.random.randint(0, 300, 16)
    loss = nn.functional.mse_loss(model(torch.from_numpy(x[rows])), torch.from_numpy(y[rows]))
    opt.zero_grad()
    loss.backward()
    opt.step()
