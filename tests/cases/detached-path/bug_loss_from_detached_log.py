"""The log dictionary holds detached losses, and the total is summed from the log."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 24), nn.SiLU())
        self.cls = nn.Linear(24, 3)
        self.reg = nn.Linear(24, 1)

    def losses(self, x, y_cls, y_reg):
        h = self.body(x)
        cls = nn.functional.cross_entropy(self.cls(h), y_cls)
        reg = nn.functional.mse_loss(self.reg(h).squeeze(1), y_reg)
        self.logged = {"reg": reg.detach()}  # <- cause
        return cls


model = MultiTask()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y_cls, y_reg = torch.randn(60, 6), torch.randint(0, 3, (60,)), torch.randn(60)
for step in range(20):
    total = model.losses(x, y_cls, y_reg)
    for name, value in model.logged.items():
        total = total + 0.5 * value
    opt.zero_grad()
    total.backward()
    opt.step()
