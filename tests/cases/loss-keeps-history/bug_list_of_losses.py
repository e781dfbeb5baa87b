"""All losses in a list that is never emptied; their mean is back-propagated in every iteration."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
w = torch.zeros(5, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
losses = []
for step in range(15):
    x = torch.randn(32, 5)
    losses.append(F.mse_loss(x @ w, x.sum(1, keepdim=True)))
    total = torch.stack(losses).mean()  # <- cause
    optimizer.zero_grad()
    total.backward(retain_graph=True)  # <- cause
    optimizer.step()
