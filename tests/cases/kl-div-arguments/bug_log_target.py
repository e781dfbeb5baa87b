"""log_target=True, but the target are probabilities."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 6)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    y = torch.softmax(2 * x[:, :6], dim=1)
    loss = F.kl_div(net(x).log_softmax(1), y, reduction="batchmean", log_target=True)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
