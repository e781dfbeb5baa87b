import torch.nn.functional as F
from torch import nn

gate = nn.Softmax(dim=-1)
old = nn.Softmax()  # <- note


def forward(x):
    weights = F.softmax(x, dim=1) + F.softmax(x, 1) + x.softmax(-1)
    return weights + F.log_softmax(x)  # <- note
