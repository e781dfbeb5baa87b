"""The caller asks for the freeze, or passes it on from its own caller who asked."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self, dim, freeze=True):
        super().__init__()
        self.net = nn.Linear(dim, 8)
        if freeze:
            for p in self.net.parameters():
                p.requires_grad = False

    def forward(self, x):
        return torch.relu(self.net(x))


class Model(nn.Module):
    def __init__(self, dim, freeze_encoder=False):
        super().__init__()
        self.one = Encoder(dim, freeze=freeze_encoder)
        self.two = Encoder(dim, True)
        self.words = nn.Embedding.from_pretrained(torch.randn(10, 8), freeze=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x, ids):
        return self.head(self.one(x) + self.two(x) + self.words(ids))


model = Model(5, freeze_encoder=True)
opt = torch.optim.Adam(model.parameters(), 1e-2)
x, ids = torch.randn(30, 5), torch.randint(0, 10, (30,))
y = (x[:, 0] > 0).long()
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x, ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
