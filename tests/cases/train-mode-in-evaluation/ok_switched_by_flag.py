"""One function for both phases, which switches the mode by a flag."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(320, 8)
y = (x[:, 0] > 0).long()
held_x = torch.randn(64, 8)
held_y = (held_x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def run(inputs, targets, training):
    model.train(training)
    right = 0
    with torch.set_grad_enabled(training):
        for xb, yb in zip(inputs.split(16), targets.split(16)):
            out = model(xb)
            right += (out.argmax(1) == yb).sum().item()
            if training:
                opt.zero_grad()
                nn.functional.cross_entropy(out, yb).backward()
                opt.step()
    return right / len(inputs)


for _ in range(2):
    run(x, y, True)
    print(run(held_x, held_y, False))
