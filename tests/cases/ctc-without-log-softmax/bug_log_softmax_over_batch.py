"""log_softmax before the transpose would have been right; after it dimension 1 is the batch."""

import torch
from torch import nn

torch.manual_seed(0)
net, criterion = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5)), nn.CTCLoss(reduction="sum")
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(12):
    scores = net(torch.randn(3, 15, 6)).transpose(0, 1)
    log_probs = nn.functional.log_softmax(scores, dim=1)  # <- cause
    loss = criterion(log_probs, torch.randint(1, 5, (3, 4)), torch.full((3,), 15), torch.full((3,), 4))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
