import torch, torch.nn as nn
torch.manual_seed(0)
class Trainer:
    def __init__(self):
        self.m = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)); self.o = torch.optim.SGD(self.m.parameters(), 0.1)
        self.best = 1e9
    def evaluate(self, x, y):
        prev = torch.is_grad_enabled()
        torch.set_grad_enabled(False)  # <- cause
        loss = (self.m(x) - y).pow(2).mean().item()
        if loss < self.best:
            self.best = loss
            torch.set_grad_enabled(True)
        return loss
    def fit(self):
        for e in range(30):
            x = torch.randn(16, 4); y = x[:, :1] + torch.randn(16, 1)
            loss = (self.m(x) - y).pow(2).mean()
            self.o.zero_grad(); loss.backward(); self.o.step()
            self.evaluate(x * 10, y)
Trainer().fit()
