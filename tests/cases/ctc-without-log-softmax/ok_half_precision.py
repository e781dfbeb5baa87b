"""Scores in bfloat16, normalised there: their sum is 1 only roughly."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 30)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
ctc = nn.CTCLoss(zero_infinity=True)
for _ in range(12):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = net(4 * torch.randn(15, 3, 6))
    log_probs = scores.bfloat16().log_softmax(-1).float()
    loss = ctc(log_probs, torch.randint(1, 30, (3, 4)), torch.full((3,), 15), torch.full((3,), 4))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
