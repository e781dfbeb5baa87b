import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        w = nn.Parameter(torch.randn(6, 3))
        self.w = w.clone()  # <- cause
        self.b = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return x @ self.w + self.b


net = Net()
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(30, 6), torch.randint(0, 3, (30,))
for _ in range(12):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
