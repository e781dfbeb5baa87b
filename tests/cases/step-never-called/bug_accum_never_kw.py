import torch
import torch.nn as nn

torch.manual_seed(0)


class Accumulator:
    def __init__(self, opt, every):
        self.opt, self.every, self.count = opt, every, 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.count += 1
        if self.count == self.every + 1000:  # <- cause
            self.opt.step()
            self.opt.zero_grad()
            self.count = 0


net = nn.Linear(4, 1)
acc = Accumulator(torch.optim.SGD(net.parameters(), 0.1), 4)
for epoch in range(5):
    for _ in range(10):
        x = torch.randn(8, 4)
        acc.backward((net(x) - x[:, :1]).pow(2).mean())
