"""ExponentialLR(0.5) was meant per epoch."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def main():
    data = torch.utils.data.TensorDataset(torch.randn(128, 6), torch.randint(0, 2, (128,)))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.5)
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
            sched.step()  # <- cause


main()
