"""One linear layer for several questions, split by view; a board's moves flattened to one class each."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
heads, board = nn.Linear(10, 4 * 3), nn.Conv2d(2, 3, 3, padding=1)
opt = torch.optim.SGD([*heads.parameters(), *board.parameters()], lr=0.1)
for _ in range(12):
    x = torch.randn(16, 10)
    scores = heads(x)
    loss = F.cross_entropy(scores.view(16, 3, 4), torch.randint(0, 3, (16, 4)))
    loss = loss + F.cross_entropy(scores.view(-1, 3), torch.randint(0, 3, (64,)))
    moves = board(torch.randn(8, 2, 5, 5)).flatten(1)
    loss = loss + F.cross_entropy(moves, torch.randint(0, 75, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
