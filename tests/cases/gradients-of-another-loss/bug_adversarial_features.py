"""A domain discriminator; the encoder is cleared before the discriminator's pass, which goes through it (no detach)."""

import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.classifier = nn.Linear(16, 2)
        self.domain = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
        self.opt_e = torch.optim.SGD(self.encoder.parameters(), lr=0.05)
        self.opt_c = torch.optim.SGD(self.classifier.parameters(), lr=0.05)
        self.opt_d = torch.optim.SGD(self.domain.parameters(), lr=0.05)

    def step(self, x, y, where):
        for optimizer in (self.opt_e, self.opt_c, self.opt_d):
            optimizer.zero_grad()  # <- cause
        F.cross_entropy(self.domain(self.encoder(x)), where).backward()  # <- cause
        self.opt_d.step()
        z = self.encoder(x)
        loss = F.cross_entropy(self.classifier(z), y) - F.cross_entropy(self.domain(z), where)
        loss.backward()  # <- cause
        self.opt_e.step()
        self.opt_c.step()


torch.manual_seed(0)
trainer = Trainer()
for _ in range(20):
    where = torch.randint(0, 2, (32,))
    x = torch.randn(32, 6) + 2.0 * where[:, None]
    trainer.step(x, (x[:, 0] > 1).long(), where)
