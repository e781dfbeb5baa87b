import torch
import torch.nn as nn

torch.manual_seed(0)


class Trainer:
    def __init__(s, net, epochs):
        s.net, s.epochs = net, epochs
        s.opt = torch.optim.SGD(net.parameters(), 0.1)
        s.sched = torch.optim.lr_scheduler.MultiStepLR(s.opt, [int(epochs * 0.5), int(epochs * 0.75)], 0.1)

    def batch(s, x, y):
        s.opt.zero_grad()
        loss = nn.functional.cross_entropy(s.net(x), y)
        loss.backward()
        s.opt.step()
        s.sched.step()  # <- cause

    def fit(s, loader):
        for e in range(s.epochs):
            for x, y in loader:
                s.batch(x, y)


data = torch.utils.data.TensorDataset(torch.randn(200, 5), torch.randint(0, 2, (200,)))
Trainer(nn.Linear(5, 2), 20).fit(torch.utils.data.DataLoader(data, batch_size=10))
