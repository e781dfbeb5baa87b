"""lr = 1 / 1e8, from a dictionary of settings, in a trainer."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(self, model, settings):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=settings["lr"], momentum=0.9)  # <- cause

    def fit(self, x, y, steps):
        for step in range(steps):
            i = torch.randint(0, len(x), (32,))
            self.opt.zero_grad()
            nn.functional.cross_entropy(self.model(x[i]), y[i]).backward()
            self.opt.step()


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(8, 64, bias=False), nn.ReLU(), nn.Linear(64, 2, bias=False))
Trainer(net, {"lr": 1 / 1e8}).fit(x, y, 20)
