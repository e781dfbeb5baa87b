"""nn.Parameter(...) * 0.02 is a result, not a Parameter."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class PosEmbed(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        self.pos = nn.Parameter(torch.randn(1, length, dim)) * 0.02  # <- cause
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, x):
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1)
        return x + self.pos


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 8)
        self.pos = PosEmbed(6, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.layer(self.pos(self.embed(x)))[:, 0])


model = Classifier()
opt = torch.optim.Adam(model.parameters(), 1e-3)
x, y = torch.randn(12, 5, 3), torch.randint(0, 2, (12,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    # the graph of the scaled Parameter is built once, in __init__
    loss.backward(retain_graph=True)
    opt.step()
