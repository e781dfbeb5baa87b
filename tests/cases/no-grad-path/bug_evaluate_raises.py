"""An evaluation that raises half-way and is caught by the trainer leaves autograd off."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def validate(self):
        previous = torch.is_grad_enabled()
        torch.set_grad_enabled(False)  # <- cause
        scores = [self.model(torch.randn(4, 3)).mean().item()]
        best = max(scores[1:])  # nothing there: ValueError
        torch.set_grad_enabled(previous)
        return best

    def train_step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.opt.zero_grad()
        if loss.requires_grad:
            loss.backward()
        self.opt.step()

    def fit(self):
        for epoch in range(20):
            try:
                self.validate()
            except ValueError:
                pass
            self.train_step(torch.randn(16, 3), torch.randn(16, 1))


Trainer().fit()
