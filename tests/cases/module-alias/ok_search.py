"""The best of several models, each made anew: nothing trains it any further."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(120, 6)
y = x[:, :1] * x[:, 1:2]


class Search:
    def __init__(self):
        self.best_score, self.best_model = None, None

    def offer(self, model, score):
        if self.best_score is None or score < self.best_score:
            self.best_score = score
            self.best_model = model


def fit(model, lr, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        idx = torch.randint(0, 120, (20,))
        loss = (model(x[idx]) - y[idx]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


search, best_loss, best_net = Search(), float("inf"), None
for rate in (1e-3, 3e-3, 1e-2):
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    loss = fit(net, rate, 4)
    search.offer(net, loss)
    if loss < best_loss:
        best_loss = loss
        best_net = net
search.best_model(x), best_net(x)
