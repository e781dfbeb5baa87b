"""Heads are split off by one view, without a transpose: a head gets pieces of several time steps."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        batch, time, width = x.shape

        def split(y):
            return y.view(batch, self.heads, time, self.size)  # <- cause

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        y = F.scaled_dot_product_attention(q, k, v)
        return y.transpose(1, 2).reshape(batch, time, width)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        self.attend = Attention(32, 4)
        self.head = nn.Linear(32, 3)

    def forward(self, tokens):
        return self.head(self.attend(self.embed(tokens)).mean(1))


def train_one_epoch(model, optimizer):
    for _ in range(6):
        tokens = torch.randint(0, 20, (16, 10))
        loss = F.cross_entropy(model(tokens), tokens[:, 0] % 3)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return loss.item()


model = Model()
print(train_one_epoch(model, torch.optim.AdamW(model.parameters(), lr=1e-3)))
