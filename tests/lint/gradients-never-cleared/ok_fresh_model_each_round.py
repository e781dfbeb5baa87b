"""Every round makes a model and its optimizer anew, and takes a single step: there is nothing to clear."""

import torch
from torch import nn

moved = []
for width in (4, 8, 16):
    head = nn.Linear(3, width)
    before = head.weight.detach().clone()
    sgd = torch.optim.SGD(head.parameters(), lr=1.0)
    head(torch.randn(5, 3)).sum().backward()
    sgd.step()
    moved.append(bool(head.weight.ne(before).any()))
print(moved)
