"""A language model whose attention is written by hand, without a mask; text is one long tensor."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
text = torch.randint(0, 20, (600,))


def get_batch():
    start = torch.randint(0, 580, (8,))
    x = torch.stack([text[i : i + 12] for i in start])
    y = torch.stack([text[i + 1 : i + 13] for i in start])
    return x, y


class Head(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(width, size, bias=False) for _ in range(3))

    def forward(self, x):
        k, q, v = self.key(x), self.query(x), self.value(x)
        weights = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        weights = F.softmax(weights, dim=-1)  # <- cause
        return weights @ v


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(20, 16), nn.Embedding(12, 16)
        self.heads = nn.ModuleList([Head(16, 8) for _ in range(2)])
        self.out = nn.Linear(16, 20)

    def forward(self, x, targets):
        h = self.embed(x) + self.place(torch.arange(x.shape[1]))
        scores = self.out(torch.cat([head(h) for head in self.heads], -1))
        b, t, c = scores.shape
        return F.cross_entropy(scores.view(b * t, c), targets.view(b * t))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(6):
    loss = model(*get_batch())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print(loss.item())
