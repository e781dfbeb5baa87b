import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    hidden = nn.Linear(4, 8)  # <- cause

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


net = Net()
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(11):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
