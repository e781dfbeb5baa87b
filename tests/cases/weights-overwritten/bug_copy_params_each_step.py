import torch
import torch.nn as nn

torch.manual_seed(0)
src, dst = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD(dst.parameters(), 0.1)


def sync():
    for a, b in zip(dst.parameters(), src.parameters()):
        a.data.copy_(b.data)  # <- cause


for _ in range(14):
    sync()  # <- cause
    x = torch.randn(8, 4)
    loss = nn.functional.cross_entropy(dst(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
