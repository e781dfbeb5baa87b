import torch
from torch import nn


class Byol(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Linear(4, 4)
        self.target = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        wanted = self.target(x)
        h = self.online(x)
        return (h - wanted.detach()).pow(2).mean() + self.head(h.detach()).pow(2).mean()


model = Byol()
opt = torch.optim.Adam(model.parameters())
log_alpha = torch.zeros(1, requires_grad=True)
for step in range(5):
    loss = model(torch.randn(3, 4))
    total = loss.detach()
    opt.zero_grad()
    loss.backward()
    opt.step()
    (log_alpha * total).backward()
    x = torch.randn(3, 4).requires_grad_()
    x.detach().clone().requires_grad_().sum().backward()
