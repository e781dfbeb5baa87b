import torch
from torch import nn
from torch.autograd import Variable

model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x = torch.randn(4, 3)
    loss = model(x).pow(2).mean()
    loss = loss  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
for step in range(3):
    größe = nn.functional.l1_loss(model(x), x[:, :1])
    total = (größe + 1) * 2  # <- cause
    größe = total  # the names of variables may be long
    total.backward()
