# whygrad.check
import torch
import torch.nn as nn
import torch.nn.functional as F

import whygrad

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.block(self.emb(x)).mean(1))


report = whygrad.check(Reader(), F.cross_entropy, (torch.randint(0, 10, (8, 5)), torch.arange(8) % 2))
