import torch
import torch.nn as nn

torch.manual_seed(0)
EPOCHS = 10


def poly(epoch):
    return max(0.0, (1 - epoch / EPOCHS)) ** 0.9


class Engine:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, poly)

    def __call__(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(self.net(x), y).backward()
        self.opt.step()
        self.sched.step()  # <- cause


engine = Engine(nn.Linear(4, 2))
for epoch in range(EPOCHS):
    for _ in range(15):
        x = torch.randn(8, 4)
        engine(x, (x[:, 0] > 0).long())
