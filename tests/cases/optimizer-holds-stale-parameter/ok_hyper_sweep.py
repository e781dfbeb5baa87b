import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(50, 4)
y = (x[:, 0] > 0).float()


def run(lr, hidden):
    net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 1))
    opt = torch.optim.SGD(net.parameters(), lr)
    for _ in range(4):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


best = min((run(lr, h), lr, h) for lr in (0.1, 0.01) for h in (4, 4, 8))
