"""requires_grad follows a keyword whose default is False, deep in a base class."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self, dim, tune=False):  # <- cause
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.Tanh(), nn.Linear(16, 8))
        for p in self.parameters():
            p.requires_grad = tune  # <- cause


class TextEncoder(Encoder):
    def __init__(self, vocab, dim, **kwargs):
        super().__init__(dim, **kwargs)  # <- cause
        self.embed = nn.Embedding(vocab, dim)

    def forward(self, ids):
        return self.net(self.embed(ids).mean(1))


class Captioner:
    def __init__(self, vocab):
        self.encoder = TextEncoder(vocab, 6)  # <- cause
        self.out = nn.Linear(8, vocab)
        params = list(self.encoder.parameters()) + list(self.out.parameters())
        self.opt = torch.optim.Adam(params, lr=1e-2)

    def step(self, ids):
        loss = nn.functional.cross_entropy(self.out(self.encoder(ids[:, :-1])), ids[:, -1])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


captioner = Captioner(15)
for _ in range(12):
    captioner.step(torch.randint(0, 15, (20, 5)))
