import torch
from torch import nn

table = nn.Embedding(10, 4)
table.weight.requires_grad = False
table.weight.required_by = "the head"
head = nn.Linear(4, 2)
head.bias.requires_grad_(False)
optimizer = torch.optim.SGD([head.weight], lr=0.1)
