"""Stage 1 trains the body with a head of its own; stage 2 freezes both and trains a new head."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.heads = nn.ModuleDict()

    def forward(self, x, head):
        return self.heads[head](self.body(x))


def train(model, head, x, y, steps):
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(x, head), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


x = torch.randn(50, 6)
model = Model()
model.heads["a"] = nn.Linear(16, 2)
train(model, "a", x, (x[:, 0] > 0).long(), 4)
for p in model.parameters():
    p.requires_grad = False
model.heads["b"] = nn.Linear(16, 3)
train(model, "b", x, x[:, :3].argmax(1), 12)
